import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { specifiersIn } from './architecture/imports.ts'
import { violations } from './architecture/rules.ts'

const sources = globSync('src/**/*.ts').toSorted()

test('the source keeps to the picture of the architecture', () => {
  expect(sources.length).toBeGreaterThan(100)
  expect(violations(new Map(sources.map((path) => [path, readFileSync(path, 'utf8')])))).toStrictEqual([])
})

describe('the checker bites', () => {
  test.each([
    ['src/domain/money/money.ts', '../../observability/logger.ts'],
    ['src/lib/timers.ts', '../domain/money/money.ts'],
    ['src/lookups/find-payouts.ts', '../http/server/server.ts'],
    ['src/keys/key-ring.ts', '../domain/money/money.ts'],
    ['src/graphql/error-formatter.ts', '../http/server.ts'],
    ['src/lookups/operation-outcome.ts', '../graphql/context.ts'],
    ['src/store/store.ts', '../graphql/context.ts'],
    ['src/upstream/client/upstream-client.ts', '../../http/server/server.ts'],
    ['src/upstream/client/upstream-client.ts', '../../store/store.ts'],
    ['src/store/store.ts', '../upstream/client/client.ts'],
    ['src/observability/logger.ts', '../store/store.ts'],
    ['src/ledger/receive.ts', '../store/sqlite/sqlite.ts'],
    ['src/ledger/receive.ts', '../store/queries/log.ts'],
    ['src/store/group-commit.ts', '../ledger/receive.ts'],
    ['src/commands/idempotency/idempotent-command.ts', '../../ledger/commands.ts'],
    ['src/commands/idempotency/idempotent-command.ts', '../../store/postgres/postgres.ts'],
    ['src/store/queries/log-queries.ts', '../../domain/payments/attribution.ts'],
    ['src/webhooks/receive.ts', '../graphql/context.ts'],
    ['src/webhooks/receive.ts', '../upstream/client.ts'],
    ['src/webhooks/receive.ts', '../commands/operations.ts'],
    ['src/sandbox/start.ts', '../domain/money.ts'],
    ['src/sandbox/start.ts', '../log.ts'],
    ['src/app.ts', './sandbox/index.ts'],
    ['src/http/server/server.ts', '../../sandbox/index.ts'],
    ['src/http/server/server.ts', '../../web/shop.ts'],
    ['src/http/server/server.ts', '../../app.ts'],
    ['src/graphql/error-formatter.ts', '../composition/metrics.ts'],
    ['src/client/watch/watch.ts', '../../graphql/context.ts'],
    ['src/operator/run-command.ts', '../domain/delivery.ts'],
    ['src/app.ts', './operator/run.ts'],
    ['src/app.ts', './cli.ts'],
    ['src/shop/shop.ts', '../domain/money/money.ts'],
    ['src/http/server/server.ts', '../../shop/shop.ts'],
    ['src/app.ts', '../test/network.ts'],
  ])('on %s importing %s', (from, specifier) => {
    const found = violations(new Map([[from, `import type { X } from '${specifier}'\n`]]))
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`^${from} must not import \\S+: .+`)))
  })

  test('on parts that reach each other by way of a third', () => {
    const files = new Map([
      ['src/commands/a.ts', "export { b } from '../streams/b.ts'"],
      ['src/streams/b.ts', "import { c } from '../access/c.ts'"],
      ['src/access/c.ts', "type A = import('../commands/a.ts').A"],
    ])
    expect(violations(files)).toContain(
      'src/access and src/commands must not import each other, directly or by way of others',
    )
  })

  test.each([
    'process.env.PORT',
    "process['exit'](1)",
    'globalThis.process?.on("exit", f)',
    "import p from 'node:process'",
  ])('on %s outside the entry points', (code) => {
    expect(violations(new Map([['src/store/store.ts', code]]))).toHaveLength(1)
    expect(violations(new Map([['src/run-server.ts', code]]))).toStrictEqual([])
  })

  test('on a decision in the store', () => {
    const files = new Map([
      ['src/store/queries/log-queries.ts', 'const decision = decideWebhook(state, report, false)'],
    ])
    expect(violations(files)).toStrictEqual(['src/store/queries/log-queries.ts must not decide: the ledger does'])
  })

  test('on a part of src that nobody has placed', () => {
    expect(violations(new Map([['src/helpers/misc.ts', '']]))).toHaveLength(1)
  })
})

describe('the checker lets through', () => {
  test.each([
    ['src/ledger/receive.ts', '../store/rows/rows.ts'],
    ['src/ledger/receive.ts', '../store/port.ts'],
    ['src/composition/open-store.ts', '../store/sqlite/sqlite.ts'],
    ['src/webhooks/receive.ts', '../upstream/wire/payments/payment.ts'],
    ['src/webhooks/receive.ts', '../observability/logger.ts'],
    ['src/sandbox/webhooks/webhook-faults.ts', '../../webhooks/signature.ts'],
    ['src/sandbox/values/request-fields.ts', '../../lib/exact-json.ts'],
    ['src/run-server.ts', './sandbox/index.ts'],
    ['src/http/server/server.ts', '../../webhooks/receive.ts'],
    ['src/graphql/error-formatter.ts', '../store/store.ts'],
    ['src/lookups/operation-outcome.ts', '../streams/tail.ts'],
    ['src/app.ts', './composition/services.ts'],
    ['src/composition/compose-shop.ts', '../shop/shop.ts'],
    ['src/operator/export/export-command.ts', '../../domain/exports/export-format.ts'],
  ])('%s importing %s', (from, specifier) => {
    expect(violations(new Map([[from, `import { X } from '${specifier}'\n`]]))).toStrictEqual([])
  })

  test('what stands in a comment, and facts about the process', () => {
    const code = "// import { X } from '../http/server.ts'\n/* process.exit() */ const size = process.memoryUsage()"
    expect(violations(new Map([['src/store/store.ts', code]]))).toStrictEqual([])
  })
})

test('every way of loading a module is seen', () => {
  const code = `
import a from './a.ts'
import type {
  B,
  C as D,
} from "./b.ts"
import './c.ts'
export * from './d.ts'
export type { E } from './e.ts'
const f = await import('./f.ts')
type G = import('./g.ts').G
const text = "from './none.ts'"
`
  expect(specifiersIn(code).toSorted()).toStrictEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `./${name}.ts`))
})
