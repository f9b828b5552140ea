/**
 * Prints figures about how easy `src` and the docs are to navigate: imports per line, circles, indexes, largest folders, names with two meanings, the
 * number of files that run for one webhook and for one mutation, and the words of the pages. `npm run house`; changes nothing.
 * `npm run house -- --files` names the files that run, the circles and the arrows that run back up.
 */
import { mkdtempSync, readFileSync, rmSync, globSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from 'graphql-ws'
import { startSandbox } from 'payments-subgraph-sandbox'
import { WebSocket } from 'ws'
import { issueDevelopmentToken } from '../src/access/issue-token.ts'
import { createApp } from '../src/app.ts'
import { parseConfig } from '../src/config.ts'
import { Secret } from '../src/keys/key-ring.ts'
import { createLogger } from '../src/observability/logger.ts'
import { readMigrations } from '../src/store/migrate.ts'
import { arrowsBack, arrowsOf, circlesOf } from '../test/architecture/imports.ts'

const ROOT = join(import.meta.dirname, '..')
const JWT_SECRETS = 'the-house-script-reads-only-its-own-process'
const GENERATED = /\/generated(?:\/|\.ts$)/

const CREATE = `mutation ($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) {
  ... on CreatePaymentLinkSuccess { link { id statusToken } } } }`
const FOLLOW = `subscription ($id: ID!, $statusToken: String) {
  paymentLinkUpdates(id: $id, statusToken: $statusToken) { kind link { state } payment { status } } }`

const files = globSync('src/**/*.{ts,tsx}', { cwd: ROOT }).filter((path) => !GENERATED.test(path))
const texts = new Map(files.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))

const lines = sum([...texts.values()].map((text) => text.split('\n').length - 1))
/** Lines that are not blank, in the files of a pattern that are not generated. */
const filled = (pattern: string) =>
  sum(
    globSync(pattern, { cwd: ROOT, exclude: (path) => /(?:^|\/)node_modules(?:\/|$)/.test(path) })
      .filter((path) => !GENERATED.test(path))
      .map((path) => readFileSync(join(ROOT, path), 'utf8').match(/\S.*/g)?.length ?? 0),
  )
const imports = sum(
  [...texts.values()].map((text) => text.match(/^(?:import|export)\b[^'"]*?from '\.[^']*'/gm)?.length ?? 0),
)
/** As `wc -w` counts, so that code, tables and generated parts count too. */
const words = sum(
  globSync(['{README,CONTRIBUTING,SECURITY}.md', 'docs/**/*.md'], { cwd: ROOT, exclude: ['docs/schema.md'] }).map(
    (path) => readFileSync(join(ROOT, path), 'utf8').split(/\s+/).filter(Boolean).length,
  ),
)
const sources = globSync('{src,packages/*/src,examples}/**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: (path) => /(?:^|\/)node_modules(?:\/|$)/.test(path),
}).filter((path) => !GENERATED.test(path))
const arrows = arrowsOf(new Map(sources.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])))
const circles = circlesOf(arrows.filter(({ to }) => !GENERATED.test(to)))
const back = arrowsBack(arrows)
const { webhook, mutation } = await filesRun()

console.log(
  `lines of src, packages and examples         ${filled('{src,packages/*/src,examples}/**/*.{ts,tsx,css,sql}')}`,
)
console.log(
  `lines of tests                              ${filled('{test,packages/*/test,examples/*/test}/**/*.{ts,tsx}')}`,
)
console.log(`files of src                                ${files.length}`)
console.log(`own imports per 1,000 lines                 ${((imports * 1_000) / lines).toFixed(0)}`)
console.log(`circles of files                            ${circles.length}`)
console.log(`arrows that run back up                     ${back.length}`)
console.log(`files from a webhook to its frame           ${webhook.length}`)
console.log(`files of createPaymentLink                  ${mutation.length}`)
console.log(`indexes of PostgreSQL besides keys          ${indexes()}`)
console.log(`fullest folders                             ${fullestFolders()}`)
const twice = repeated(
  files.filter((path) => !/^src\/graphql\/resolvers|\/index\.ts$/.test(path)).map((path) => basename(path)),
)
console.log(`file names that stand twice                 ${twice.length}: ${twice.join(', ')}`)
const types = repeated([...texts].flatMap(([path, text]) => typesOf(path, text)))
console.log(`types that stand for two things             ${types.length}: ${types.join(', ')}`)
console.log(`words of docs without the schema page       ${words}`)
if (process.argv.includes('--files')) {
  for (const [name, paths] of Object.entries({ webhook, mutation })) console.log(`\n${name}\n${paths.join('\n')}`)
  console.log(`\ncircles\n${circles.map((circle) => circle.join(' ')).join('\n')}`)
  console.log(`\narrows back\n${back.map(({ from, to }) => `${from} → ${to}`).join('\n')}`)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

/** Returns the names that occur more than once in a list. */
function repeated(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([name]) => name)
    .toSorted()
}

/** Returns the exported type names of a file. Skips programs that share no code with the subgraph. */
function typesOf(path: string, text: string): string[] {
  if (path.startsWith('src/operator/')) return []
  return [...text.matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name]) => name ?? '')
}

/** Returns the number of indexes that the migrations for PostgreSQL make, besides those of primary and unique keys. */
function indexes(): number {
  const steps = readMigrations('postgres').flatMap((migration) => migration.steps)
  return steps.flatMap(({ sql }) => sql.match(/^CREATE (?:UNIQUE )?INDEX/gm) ?? []).length
}

function fullestFolders(): string {
  const counts = new Map<string, number>()
  for (const path of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  const fullest = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 4)
  return fullest.map(([folder, count]) => `${folder} ${count}`).join(', ')
}

/**
 * Returns the files of `src` that run for a mutation, and for a webhook until a subscriber receives its
 * event.
 */
async function filesRun(): Promise<{ webhook: string[]; mutation: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-house-'))
  const sandbox = await startSandbox()
  const parsed = parseConfig({
    PORT: '0',
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_SITES: JSON.stringify(sandbox.sites),
    WEBHOOK_SECRETS: sandbox.webhookSecret,
    SIGNING_KEYS: 'a-signing-key-that-signs-nothing-of-worth',
    JWT_SECRETS,
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
    LOG_LEVEL: 'silent',
  })
  if (!parsed.ok || parsed.config.upstream.kind !== 'service') throw new Error('The settings are wrong.')
  const app = await createApp(
    { ...parsed.config, upstream: parsed.config.upstream },
    { logger: createLogger({ level: 'silent' }) },
  )
  // Requests during the start must not be counted, so wait until it is ready.
  while ((await fetch(`${app.url}/health/ready`)).status !== 200);
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  try {
    const token = await issueDevelopmentToken(new Secret(JWT_SECRETS), {
      scopes: ['payments:write'],
      subject: 'house',
      ttlSeconds: 60,
    })
    const input = {
      idempotencyKey: 'house-1',
      reference: 'house-1',
      amount: { value: '12.50', currency: 'AUD' },
      description: 'One link',
      customer: { email: 'ada@example.test', firstName: 'Ada', lastName: 'Payer' },
      methodCode: 'au_card_aud',
    }
    await restart(session)
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: CREATE, variables: { input } }),
    })
    const { data } = (await response.json()) as {
      data: { createPaymentLink: { link: { id: string; statusToken: string } } }
    }
    const ofMutation = await ran(session)
    const { link } = data.createPaymentLink
    const client = createClient({ url: `${app.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket })
    const items = client.iterate<{ paymentLinkUpdates: { kind: string } }>({ query: FOLLOW, variables: link })
    const next = async () => (await items.next()).value?.data?.paymentLinkUpdates.kind
    while ((await next()) !== 'CAUGHT_UP');
    await restart(session)
    await sandbox.control.setStatus(link.id, 'received')
    while ((await next()) !== 'EVENT');
    const ofWebhook = await ran(session)
    await client.dispose()
    return { webhook: ofWebhook, mutation: ofMutation }
  } finally {
    session.disconnect()
    await app.close()
    await sandbox.close()
    rmSync(folder, { recursive: true })
  }
}

/** Resets the counters. */
async function restart(session: Session): Promise<void> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
}

/** Returns the files of the subgraph with a function that was called since `restart`. */
async function ran(session: Session): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const called = result.filter(({ url, functions }) => {
    if (!url.startsWith('file:')) return false
    const path = fileURLToPath(url)
    const isOurs = path.startsWith(join(ROOT, 'src/'))
    return (
      isOurs && functions.some(({ functionName, ranges: [whole] }) => functionName !== '' && (whole?.count ?? 0) > 0)
    )
  })
  return called.map(({ url }) => relative(ROOT, fileURLToPath(url))).toSorted()
}
