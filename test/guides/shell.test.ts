import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { PICTURES } from '../../src/domain/customers/identity-check.ts'
import { parseMigration } from '../../src/store/migrate.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { migrationFaults } from '../unit/store/migration-rules.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

/** Returns the code blocks of a page in a language. */
const blocksOf = (page: string, language: string) =>
  Array.from(readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, of, code = '']) => ({
    of,
    code,
  }))
    .filter(({ of }) => of === language)
    .map(({ code }) => code)

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

/** Runs a page's example as a reader does, but against a network of the test. Returns what it prints. */
async function shell(example = '', { app, sandbox, folder } = network): Promise<string> {
  const code = example
    .replaceAll('localhost:4000', new URL(app.url).host)
    .replaceAll('localhost:4010', new URL(sandbox.url).host)
    .replace(/\$\(npm run --silent cli -- token .*\)/, await network.token())
  const { stdout } = await run('bash', ['-euc', code], { cwd: folder })
  return stdout
}

test('README.md shows what the list of methods answers', async () => {
  const example = blocksOf('README.md', 'sh').find((code) => code.includes('payinMethods'))
  const [answer = ''] = blocksOf('README.md', 'json')
  expect(JSON.parse(await shell(example))).toEqual(JSON.parse(answer))
})

test('README.md creates a link', async () => {
  const example = blocksOf('README.md', 'sh').find((code) => code.includes('createPaymentLink'))
  const answer = JSON.parse(await shell(example)) as { data: { createPaymentLink: { link: object } } }
  const shown = JSON.parse(blocksOf('README.md', 'json')[1] ?? '') as typeof answer
  const { link, ...result } = answer.data.createPaymentLink
  expect({ ...result, link: Object.keys(link) }).toEqual({
    ...shown.data.createPaymentLink,
    link: Object.keys(shown.data.createPaymentLink.link),
  })
})

test('docs/start.md sends a webhook', async () => {
  mkdirSync(join(network.folder, 'data'))
  writeFileSync(join(network.folder, 'data/dev-keys.json'), JSON.stringify({ WEBHOOK_SECRETS: SECRETS.webhook }))
  expect(await shell(blocksOf('docs/start.md', 'sh')[0])).toMatch(/^HTTP\/1\.1 200 OK[^]*\nok$/)
  const { data } = await network.ask('{ payment(id: "README01") { status phase version paid { value currency } } }')
  expect({ data }).toEqual(JSON.parse(blocksOf('docs/start.md', 'json')[0] ?? ''))
})

test('docs/sandbox.md creates a payin elsewhere', async () => {
  const { uuid } = JSON.parse(await shell(blocksOf('docs/sandbox.md', 'sh')[0])) as { uuid: string }
  expect(network.sandbox.control.state().payins).toContainEqual(expect.objectContaining({ uuid, amount: '25000' }))
})

test('docs/operating.md makes a copy another log', async ({ onTestFinished }) => {
  const other = await startNetwork()
  onTestFinished(() => other.close())
  await other.stop()
  const sql = 'SELECT log_id FROM meta'
  const read = async () => (await run('sqlite3', [join(other.folder, 'payments.db'), sql])).stdout
  const before = await read()
  const [, update = ''] =
    /`(UPDATE meta [^`]+)` on SQLite/.exec(readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')) ?? []
  await run('sqlite3', [join(other.folder, 'payments.db'), update])
  expect(await read()).toMatch(/^[0-9a-f]{32}\n$/)
  expect(await read()).not.toBe(before)
})

test('docs/contributing/migrations.md keeps its own rules', () => {
  const [sql = ''] = blocksOf('docs/contributing/migrations.md', 'sql')
  expect(migrationFaults(parseMigration('0002-example.sql', sql), 'postgres')).toEqual([])
})

test('other examples name what there is', () => {
  const form = blocksOf('docs/guides/identity-checks.md', 'html')[0] ?? ''
  expect(Array.from(form.matchAll(/name="(\w+)"/g), ([, name]) => name)).toEqual(PICTURES)
  const settings = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8')
  const {
    scrape_configs: [job],
  } = parse(blocksOf('docs/operations/metrics.md', 'yaml')[0] ?? '') as {
    scrape_configs: { static_configs: { targets: string[] }[] }[]
  }
  expect(settings).toContain(`Unset: ${job?.static_configs[0]?.targets[0]?.split(':')[1]} in production`)
})
