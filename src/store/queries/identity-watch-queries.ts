import type { Selectable } from 'kysely'
import { FIRST_INTERVAL_MS, type IdentityState, nextInterval } from '../../domain/customers/identity-check.ts'
import type { IdentityStatus } from '../../domain/customers/person.ts'
import type { Db, GroupCommit } from '../group-commit.ts'
import type { IdentityWatch, IdentityWatchStore } from '../identity-watch-store.ts'
import type { IdentityWatchesTable } from '../tables.ts'

/** Creates the queries of followed identity checks. */
export function createIdentityWatchStore(reader: Db, exclusively: GroupCommit['exclusively']): IdentityWatchStore {
  return {
    find: async (keys) => (await rowsOf(reader, keys)).map(toWatch),
    follow: (keys, times) => exclusively(({ db }) => follow(db, keys, times)),
    record: (key, read, now) => exclusively(({ db }) => record(db, key, { ...read, now })),
    postpone: (key, now) => exclusively(({ db }) => postpone(db, key, now)),
    hasten: (keys, now) => exclusively(({ db }) => hasten(db, keys, now)),
    drop: (key) => exclusively(({ db }) => drop(db, key)),
  }
}

type Row = Selectable<IdentityWatchesTable>

function rowsOf(db: Db, keys: readonly string[]): Promise<Row[]> {
  return keys.length === 0
    ? Promise.resolve([])
    : db.selectFrom('identity_watches').selectAll().where('key', 'in', keys).execute()
}

async function follow(
  db: Db,
  keys: readonly string[],
  { now, followedUntil, leaseUntil, most }: Parameters<IdentityWatchStore['follow']>[1],
): Promise<string[]> {
  await db.deleteFrom('identity_watches').where('followed_until', '<', now).execute()
  const known = await rowsOf(db, keys)
  const fresh = keys
    .filter((key) => !known.some((row) => row.key === key))
    .map((key) => newRow(key, now, followedUntil))
  if (fresh.length > 0) await db.insertInto('identity_watches').values(fresh).execute()
  if (known.length > 0)
    await db
      .updateTable('identity_watches')
      .set({ followed_until: followedUntil })
      .where(
        'key',
        'in',
        known.map(({ key }) => key),
      )
      .where('followed_until', '<', followedUntil)
      .execute()
  const due = [...fresh, ...known.filter((row) => row.due_at <= now).toSorted((a, b) => a.due_at - b.due_at)]
  const taken = due.slice(0, most).map(({ key }) => key)
  if (taken.length > 0)
    await db.updateTable('identity_watches').set({ due_at: leaseUntil }).where('key', 'in', taken).execute()
  return taken
}

function newRow(key: string, now: number, followedUntil: number): Row {
  const unread = { status: null, results: 0, version: now, read_at: null, interval_ms: FIRST_INTERVAL_MS }
  return { ...unread, key, due_at: now, followed_until: followedUntil }
}

async function record(
  db: Db,
  key: string,
  { status, results, now }: Pick<IdentityState, 'status' | 'results'> & { readonly now: number },
): Promise<IdentityState | null> {
  const [row] = await rowsOf(db, [key])
  if (row === undefined) return null
  const stored = status ?? UNRECOGNISED
  const isChanged = row.status !== stored || row.results !== results
  const version = row.version + (isChanged ? 1 : 0)
  const intervalMs = nextInterval(row.interval_ms, isChanged)
  // What was hastened during the read may have changed after it.
  const dueAt = row.due_at <= now ? row.due_at : now + intervalMs
  await db
    .updateTable('identity_watches')
    .set({ status: stored, results, version, read_at: now, due_at: dueAt, interval_ms: intervalMs })
    .where('key', '=', key)
    .execute()
  return { status, results, version, readAt: now }
}

async function postpone(db: Db, key: string, now: number): Promise<void> {
  const [row] = await rowsOf(db, [key])
  if (row === undefined) return
  const intervalMs = nextInterval(row.interval_ms, false)
  await db
    .updateTable('identity_watches')
    .set({ due_at: now + row.interval_ms, interval_ms: intervalMs })
    .where('key', '=', key)
    .execute()
}

async function hasten(db: Db, keys: readonly string[], now: number): Promise<void> {
  await db
    .updateTable('identity_watches')
    .set({ due_at: now, interval_ms: FIRST_INTERVAL_MS })
    .where('key', 'in', keys)
    .execute()
}

async function drop(db: Db, key: string): Promise<void> {
  await db.deleteFrom('identity_watches').where('key', '=', key).execute()
}

const UNRECOGNISED = 'UNRECOGNISED'

function toWatch({ key, status, results, version, read_at, due_at, followed_until }: Row): IdentityWatch {
  const known = status === UNRECOGNISED ? null : (status as IdentityStatus)
  const state = read_at === null ? null : { status: known, results, version, readAt: read_at }
  return { key, state, dueAt: due_at, followedUntil: followed_until }
}
