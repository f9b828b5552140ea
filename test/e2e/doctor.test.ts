import { once } from 'node:events'
import { chmodSync, mkdirSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { readAppConfig } from '../../src/config.ts'
import { examine, type SystemFacts } from '../../src/doctor/checks.ts'
import { settingsFor } from '../support/app-settings.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { findPostgres } from '../support/postgres.ts'
import { createRedisServer } from '../support/redis-server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { deliveries } from '../support/webhooks.ts'

const postgres = await findPostgres()
/** Nothing listens on the port of another protocol. */
const NOWHERE = 'http://127.0.0.1:2'

let network: Network
beforeAll(async () => {
  network = await startNetwork()
})
afterAll(() => network.close())

/** The settings of the running subgraph, as seen from this machine, with a fault. */
function settings(env: Record<string, string> = {}): Record<string, string> {
  const { sandbox, folder, app } = network
  return { ...settingsFor({ folder, port: '0', sandbox, options: {} }), PUBLIC_URL: app.url, ...env }
}

/** What is found with a fault planted. */
async function found(env: Record<string, string> = {}, facts: Partial<SystemFacts> = {}): Promise<string[]> {
  // This machine may itself have few open files or a full disk.
  const healthy = { openFiles: () => 65_536, disk: () => ({ free: 2 ** 40, total: 2 ** 41 }) }
  const findings = await examine(readAppConfig(settings(env)), { ...healthy, ...facts })
  return findings.map(({ check, problem }) => `${check}: ${problem}`)
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answering = (status: number, body = '') => serve((_request, response) => response.writeHead(status).end(body))

/** A server of PostgreSQL that answers late. */
async function slowPostgres(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) }, (client, upstream) => {
    client.on('data', (data) => setTimeout(() => upstream.write(data), 40))
    upstream.pipe(client)
  })
  onTestFinished(() => proxy.close())
  return proxy.through(url)
}

async function redisWithPassword(): Promise<string> {
  const server = await createRedisServer()
  onTestFinished(() => server.remove())
  await server.run('CONFIG', 'SET', 'requirepass', 'secret')
  return server.url
}

async function databaseWith(sql: (name: string) => string): Promise<string> {
  if (postgres === null) return ''
  const database = await postgres.createDatabase()
  onTestFinished(() => database.drop())
  await database.run(sql(new URL(database.url).pathname.slice(1)))
  return database.url
}

const badSites = () =>
  JSON.stringify(network.sandbox.sites.map((site, index) => (index === 0 ? { ...site, secretKey: 'wrong' } : site)))

const TABLE: [fault: string, env: () => Promise<Record<string, string>> | Record<string, string>, named: RegExp][] = [
  [
    'credentials of a site',
    () => ({ UPSTREAM_SITES: badSites() }),
    /^sites: .*refuses the credentials of the site \w+: correct its appId and secretKey/,
  ],
  [
    'an API that nobody serves',
    () => ({ UPSTREAM_URL: `${NOWHERE}/api` }),
    /^sites: .*cannot be reached .*check UPSTREAM_URL/,
  ],
  [
    'another program as the API',
    async () => ({ UPSTREAM_URL: `${await answering(200, '<html>')}/api` }),
    /^sites: .*does not speak as the payments API/,
  ],
  [
    'an issuer that nobody serves',
    () => ({ JWT_SECRETS: '', JWT_JWKS_URL: `${NOWHERE}/keys` }),
    /^issuer: .*cannot be fetched \(ECONNREFUSED\): check JWT_JWKS_URL/,
  ],
  [
    'a page in place of the keys',
    async () => ({ JWT_SECRETS: '', JWT_JWKS_URL: await answering(200, '<html>') }),
    /^issuer: .*is no key set/,
  ],
  [
    'no keys',
    async () => ({ JWT_SECRETS: '', JWT_JWKS_URL: await answering(200, '{"keys":[]}') }),
    /^issuer: .*is empty/,
  ],
  ['a public address that nobody serves', () => ({ PUBLIC_URL: NOWHERE }), /^webhooks: PUBLIC_URL cannot be reached/],
  [
    'a public address of another program',
    async () => ({ PUBLIC_URL: await answering(404) }),
    /^webhooks: .*takes no webhook \(HTTP 404\)/,
  ],
  ['a proxy without a server behind it', async () => ({ PUBLIC_URL: await answering(502) }), /^webhooks: .*HTTP 502/],
  [
    'another secret of webhooks',
    () => ({ WEBHOOK_SECRETS: 'another-secret-of-webhooks' }),
    /^webhooks: .*other WEBHOOK_SECRETS, or a proxy changes/,
  ],
  [
    'a Redis that nobody serves',
    () => ({ DATABASE_URL: postgres?.address ?? '', REDIS_URL: 'redis://127.0.0.1:9/0' }),
    /^redis: .*\(ECONNREFUSED\): check address and TLS/,
  ],
  [
    'a Redis whose password is not set',
    async () => ({ DATABASE_URL: postgres?.address ?? '', REDIS_URL: await redisWithPassword() }),
    /^redis: .*\(NOAUTH\): it refuses the user or the password/,
  ],
  [
    'an API whose certificate nobody here trusts',
    async () => ({ UPSTREAM_URL: `${(await answering(200)).replace('http:', 'https:')}/api` }),
    /^sites: .*speaks no TLS|^sites: .*certificate/,
  ],
  [
    'a port of another program as the database',
    async () => ({ DATABASE_URL: `postgres://payments:secret@${new URL(await answering(200)).host}/payments` }),
    /^database: .*is no PostgreSQL server: check host and port/,
  ],
  [
    'a database that nobody serves',
    () => ({ DATABASE_URL: 'postgres://payments:secret@127.0.0.1:9/payments' }),
    /^database: .*127\.0\.0\.1:9\/payments|^database: .*DATABASE_URL/,
  ],
  [
    'a database that does not exist',
    () => ({ DATABASE_URL: (postgres?.address ?? '').replace(/\/[^/]*$/, '/nowhere') }),
    /^database: .*(?:nowhere|DATABASE_URL)/,
  ],
  [
    'commits that are not durable',
    async () => ({ DATABASE_URL: await databaseWith((name) => `ALTER DATABASE ${name} SET synchronous_commit = off`) }),
    /^database: .*is not durable: synchronous_commit is off/,
  ],
  [
    'a database far away',
    async () => ({ DATABASE_URL: await slowPostgres(postgres?.address ?? '') }),
    /^database: .*takes \d+ ms for a query: run the subgraph near it/,
  ],
]

describe.skipIf(postgres === null)('doctor', () => {
  it('finds nothing where all is well, and leaves no delivery', async () => {
    expect(await found()).toEqual([])
    expect(await deliveries(network)).toEqual([])
    const { out } = await run(['doctor', '--json'], settings(), {
      output: process.stdout,
      terminal: process.stderr,
    })
    // Few open files and a full disk may be true of this machine.
    expect(JSON.parse(out)).toBeInstanceOf(Array)
  })

  it.each(TABLE)('names %s, and what to do', async (_fault, env, named) => {
    const all = await found(await env())
    expect(all).toEqual(expect.arrayContaining([expect.stringMatching(named)]))
    expect(all.join('\n')).not.toMatch(/secret@|wrong|another-secret/)
  })

  it.each<[string, Partial<SystemFacts>, RegExp]>([
    [
      'a clock ahead',
      { now: () => new Date(Date.now() + 60_000) },
      /^clock: The clock is (?:59|60|61) s ahead of that of the payments API: set it by NTP/,
    ],
    ['a clock behind', { now: () => new Date(Date.now() - 60_000) }, /^clock: The clock is \d+ s behind/],
    [
      'a full disk',
      { disk: () => ({ free: 10 * 1024 ** 2, total: 2 ** 40 }) },
      /^disk: The disk of \S+ has 10 MiB free/,
    ],
    ['few open files', { openFiles: () => 1_024 }, /^open files: The limit of open files is 1024: raise it/],
  ])('names %s, and what to do', async (_fault, facts, named) => {
    expect(await found({}, facts)).toEqual([expect.stringMatching(named)])
  })

  it('compares its clock with that of the database, too', async () => {
    const facts = { now: () => new Date(Date.now() + 60_000) }
    expect(await found({ DATABASE_URL: await databaseWith(() => 'SELECT 1') }, facts)).toContainEqual(
      expect.stringMatching(/^database: The clock is \d+ s ahead of that of the database: set it by NTP/),
    )
  })

  it.skipIf(process.getuid?.() === 0)('names a folder where nothing can be written', async () => {
    const closed = join(network.folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    expect(await found({ DATABASE_URL: `file:${join(closed, 'payments.db')}` })).toEqual([
      expect.stringMatching(/^database: .*cannot write \(EACCES\)/),
    ])
  })

  it('lists settings that are wrong, and ends with 1', async () => {
    const streams = { output: process.stdout, terminal: process.stderr }
    const ended = await run(['doctor'], { ...settings(), REDIS_URI: 'x', PORT: '"80"' }, streams)
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toContain('REDIS_URI is not a setting; is REDIS_URL meant?')
    expect(ended.err).toContain('PORT is in quotation marks')
  })
})
