import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'

/** Milliseconds per test. An exponential walk over 30 levels takes minutes, over 60 levels years. */
const PATIENCE_MS = 20_000

let sandbox: Sandbox
let url: string
const ends: (() => unknown)[] = []

// A process of its own: if it hangs, the test does not.
beforeAll(async () => {
  sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })
  const onEnd = (end: () => unknown) => void ends.push(end)
  const started = await startReady({ env: settingsFor(sandbox, temporaryFolder(onEnd)) }, onEnd)
  url = started.url
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  await sandbox.close()
})

type Bomb = { readonly operation: string; readonly type: string; readonly leaf: string }

const BOMBS: readonly [string, Bomb][] = [
  ['a public list', { operation: '{ payinMethods { nodes { ...A0 } } }', type: 'PayinMethod', leaf: 'code' }],
  ['the root', { operation: '{ ...A0 }', type: 'Query', leaf: 'paymentCurrencies { code }' }],
  ['introspection', { operation: '{ __schema { types { ...A0 } } }', type: '__Type', leaf: 'name' }],
  [
    'a type that needs rights',
    { operation: '{ payment(id: "x") { link { ...A0 } } }', type: 'PaymentLink', leaf: 'id' },
  ],
]

function doubled({ operation, type, leaf }: Bomb, levels: number): string {
  const steps = Array.from({ length: levels }, (_, at) => `fragment A${at} on ${type} { ...A${at + 1} ...A${at + 1} }`)
  return `${operation} ${steps.join(' ')} fragment A${levels} on ${type} { ${leaf} }`
}

it.each(BOMBS.flatMap(([name, bomb]) => [30, 60].map((levels) => [name, levels, bomb] as const)))(
  'fragments over %s that double at each of %i levels are answered, without a token',
  async (_name, levels, bomb) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: doubled(bomb, levels) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    expect(await response.json()).toSatisfy((answer) => 'data' in answer || 'errors' in answer)
    const live = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    expect(live.status).toBe(200)
  },
  3 * PATIENCE_MS,
)
