import { type Sandbox, startSandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  AT_REST,
  importOf,
  type ImportNode,
  lastHour,
  linkElsewhere,
  payinElsewhere,
  TWO_SITES,
  tryToImport,
} from '../support/imports.ts'
import { askAt, SECRETS, token } from '../support/network.ts'
import { findPostgres } from '../support/postgres.ts'
import { type KillableApp, startApp } from './killable-app.ts'
import { type KilledDatabase, killedPostgres, killedSqlite } from './killed-database.ts'

/** Seven pages of payins, and two of links. */
const PAYINS = 130
const LINKS = 30

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ ...AT_REST, webhookSecret: SECRETS.webhook })
  for (let index = 0; index < PAYINS; index += 1)
    await sandbox.control.setStatus(await payinElsewhere({ sandbox }), 'received')
  for (let index = 0; index < LINKS; index += 1)
    await sandbox.control.setStatus(await linkElsewhere({ sandbox }), 'received')
})
afterAll(() => sandbox.close())

const upstream = () => ({ UPSTREAM_URL: sandbox.url, UPSTREAM_SITES: JSON.stringify(TWO_SITES) })

const server = await findPostgres()
const database = await server?.createDatabase({ migrated: true })
afterAll(() => database?.drop())

const PLACES: readonly (readonly [name: string, place: () => Promise<KilledDatabase>])[] = [
  ['SQLite', () => killedSqlite(upstream())],
  ...(database === undefined ? [] : [['PostgreSQL', async () => killedPostgres(database, upstream())] as const]),
]

// promise(facts): An import that is killed at any point ends with the same record and report as an uninterrupted one.
describe.each(PLACES)('kill -9 during an import, on %s', (_name, placed) => {
  it('leaves an import that the next process ends with the same record and report', async () => {
    const place = await placed()
    let app = await startApp(place.app)
    const begun = (await tryToImport(asker(app), lastHour())).import
    const id = begun?.id ?? ''
    // In the first list of links, in that of payins, and once more.
    for (const listed of [1, LINKS + 1, LINKS + 41]) {
      await expect.poll(async () => listedOf(await importOf(asker(app), id))).toBeGreaterThanOrEqual(listed)
      expect((await app.kill()).signal).toBe('SIGKILL')
      const [left] = await place.rows('SELECT done_at FROM payment_imports')
      expect(left).toMatchObject({ done_at: null })
      await place.afterKill()
      app = await startApp(place.app)
    }
    await expect.poll(() => importOf(asker(app), id)).toMatchObject({ state: 'DONE', progress: 100 })
    const done = await importOf(asker(app), id)
    await app.kill('SIGTERM')

    const sum = (name: 'listed' | 'added' | 'equal' | 'differed' | 'passedOver' | 'absent') =>
      done?.lists.reduce((total, report) => total + report[name], 0)
    expect(sum('listed')).toBe(PAYINS + LINKS)
    expect(sum('added')).toBe(PAYINS + LINKS)
    for (const name of ['equal', 'differed', 'passedOver', 'absent'] as const) expect(sum(name)).toBe(0)
    const [count] = await place.rows('SELECT count(*) AS payments FROM payments')
    expect(Number(count?.['payments'])).toBe(PAYINS + LINKS)
    // One event for each: nothing was recorded twice.
    const [log] = await place.rows('SELECT count(*) AS events, count(DISTINCT stream_id) AS streams FROM events')
    expect({ events: Number(log?.['events']), streams: Number(log?.['streams']) }).toEqual({
      events: PAYINS + LINKS,
      streams: PAYINS + LINKS,
    })
    expect(await place.rows('SELECT * FROM payment_import_entries')).toEqual([])
    await place.remove()
  })
})

function listedOf(running: ImportNode | null): number {
  return running?.lists.reduce((total, { listed }) => total + listed, 0) ?? 0
}

function asker({ url }: KillableApp & { readonly url: string }) {
  return { ask: askAt(() => url), token }
}
