import { sql } from 'kysely'
import type { Sweep, SweepStep } from '../store.ts'
import type { Db, Write } from '../unit.ts'
import { noLaterThan } from './plan-read.ts'

/** Rows of one transaction: others write in between. */
const SWEPT_AT_ONCE = 500

/** Plans reads of what may have changed while nobody was here, batch by batch; where it stands is kept with each batch. */
export function createSweep(reader: Db, write: Write): Sweep {
  return {
    async pending() {
      const { sweep_from: from } = await meta(reader)
      return from === null ? null : new Date(from)
    },
    begin: (from, now) =>
      write(async ({ db }) => {
        const { sweep_from: before } = await meta(db)
        const start = Math.min(from.getTime(), before ?? Number.POSITIVE_INFINITY)
        await db
          .updateTable('meta')
          .set({ sweep_from: start, sweep_cursor: null, heartbeat_at: now.getTime() })
          .where('id', '=', 1)
          .execute()
      }),
    step: (now) => write(({ db }) => step(db, now.getTime())),
  }
}

/** A part of a sweep: rows of one table, by an index. */
type Part = {
  /** Rows behind a key, in the order of the index. */
  page(db: Db, from: number, after: Key): Promise<readonly Row[]>
  plan(db: Db, span: Span, numbers: readonly number[]): Promise<void>
}

/** Since when something may have changed, and now; both in milliseconds since the epoch. */
type Span = { readonly from: number; readonly now: number }

type Key = { readonly at: number; readonly number: number }
type Row = { readonly at: number | null; readonly number: number }

const START: Key = { at: Number.MIN_SAFE_INTEGER, number: 0 }

const PARTS: readonly Part[] = [
  { page: paymentsChangedSince, plan: planPayments },
  { page: (db, _from, after) => paymentsUnderWay(db, 'IN_PROGRESS', after), plan: planPayments },
  { page: (db, _from, after) => paymentsUnderWay(db, 'REFUNDING', after), plan: planPayments },
  { page: (db, _from, after) => paymentsUnderWay(db, 'DISPUTED', after), plan: planPayments },
  { page: linksOpenSince, plan: planLinks },
  { page: agreementsChangedSince, plan: planAgreements },
  { page: agreementsUnderWay, plan: planAgreements },
]

async function meta(db: Db) {
  return db.selectFrom('meta').select(['sweep_from', 'sweep_cursor']).where('id', '=', 1).executeTakeFirstOrThrow()
}

async function step(db: Db, now: number): Promise<SweepStep> {
  const { sweep_from: from, sweep_cursor: cursor } = await meta(db)
  if (from === null) return { planned: 0, done: true }
  const { index, after } = parseCursor(cursor)
  const part = PARTS[index]
  if (part === undefined) {
    await moveTo(db, { sweep_from: null, sweep_cursor: null })
    return { planned: 0, done: true }
  }
  const rows = await part.page(db, from, after)
  const last = rows.at(-1)
  if (last !== undefined) {
    const numbers = rows.map(({ number }) => number)
    await part.plan(db, { from, now }, numbers)
  }
  const next =
    rows.length < SWEPT_AT_ONCE || last === undefined
      ? { index: index + 1, after: START }
      : { index, after: keyOf(last) }
  await moveTo(db, { sweep_from: from, sweep_cursor: `${next.index} ${next.after.at} ${next.after.number}` })
  return { planned: rows.length, done: false }
}

async function moveTo(db: Db, place: { sweep_from: number | null; sweep_cursor: string | null }): Promise<void> {
  await db.updateTable('meta').set(place).where('id', '=', 1).execute()
}

function keyOf({ at, number }: Row): Key {
  return { at: at ?? START.at, number }
}

function parseCursor(cursor: string | null): { index: number; after: Key } {
  if (cursor === null) return { index: 0, after: START }
  const [index = 0, at = START.at, number = 0] = cursor.split(' ').map(Number)
  return { index, after: { at, number } }
}

/** Rank 6 is final; the condition of the partial index is written out, since a parameter would hide it from the planner. */
function paymentsChangedSince(db: Db, from: number, after: Key) {
  const at = Math.max(from, after.at)
  return db
    .selectFrom('payments')
    .select(['updated_at as at', 'number'])
    .where((eb) => eb('rank', '<', eb.lit(6)))
    .where('updated_at', '>=', at)
    .where((eb) => eb.or([eb('updated_at', '>', at), eb('number', '>', after.at < from ? 0 : after.number)]))
    .orderBy('updated_at')
    .orderBy('number')
    .limit(SWEPT_AT_ONCE)
    .execute()
}

function paymentsUnderWay(db: Db, phase: 'IN_PROGRESS' | 'REFUNDING' | 'DISPUTED', after: Key) {
  return db
    .selectFrom('payments')
    .select(['number', 'number as at'])
    .where('phase', '=', phase)
    .where('rank', '<', 6)
    .where('number', '>', after.number)
    .orderBy('number')
    .limit(SWEPT_AT_ONCE)
    .execute()
}

function linksOpenSince(db: Db, from: number, after: Key) {
  const at = Math.max(from, after.at)
  return db
    .selectFrom('links')
    .select(['expires_at as at', 'number'])
    .where('payment_id', 'is', null)
    .where((eb) => eb('expired', '=', eb.lit(0)))
    .where('expires_at', '>=', at)
    .where((eb) => eb.or([eb('expires_at', '>', at), eb('number', '>', after.at < from ? 0 : after.number)]))
    .orderBy('expires_at')
    .orderBy('number')
    .limit(SWEPT_AT_ONCE)
    .execute()
}

function agreementsChangedSince(db: Db, from: number, after: Key) {
  const at = Math.max(from, after.at)
  return db
    .selectFrom('agreements')
    .select(['updated_at as at', 'number'])
    .where('updated_at', '>=', at)
    .where((eb) => eb.or([eb('updated_at', '>', at), eb('number', '>', after.at < from ? 0 : after.number)]))
    .orderBy('updated_at')
    .orderBy('number')
    .limit(SWEPT_AT_ONCE)
    .execute()
}

/** Those that wait for their payers. */
function agreementsUnderWay(db: Db, _from: number, after: Key) {
  return db
    .selectFrom('agreements')
    .select(['number', 'number as at'])
    .where('status', '=', 'created')
    .where('number', '>', after.number)
    .orderBy('number')
    .limit(SWEPT_AT_ONCE)
    .execute()
}

/** All are due now, in the order in which they were confirmed last: one that was a second sooner goes a millisecond before. */
function dueInOrder({ from, now }: Span) {
  const since = sql<number>`case when confirmed_at > ${from} then confirmed_at else ${from} end`
  return sql<number>`${now} - cast((${now} - ${since}) / 1000 as bigint)`
}

async function planPayments(db: Db, span: Span, numbers: readonly number[]): Promise<void> {
  const plan = noLaterThan({ at: dueInOrder(span), readClass: 'poll' })
  await db.updateTable('payments').set(plan).where('number', 'in', numbers).execute()
}

async function planLinks(db: Db, span: Span, numbers: readonly number[]): Promise<void> {
  const plan = noLaterThan({ at: dueInOrder(span), readClass: 'poll' })
  await db.updateTable('links').set(plan).where('number', 'in', numbers).execute()
}

async function planAgreements(db: Db, { now }: Span, numbers: readonly number[]): Promise<void> {
  const isFinal = ['cancelled', 'failed'] as const
  await db
    .updateTable('agreements')
    .set(noLaterThan({ at: now, readClass: 'poll' }))
    .where('number', 'in', numbers)
    .where((eb) => eb.or([eb('status', 'is', null), eb('status', 'not in', isFinal)]))
    .execute()
}
