import type { ExpressionBuilder } from 'kysely'
import type { Unfinal, UnfinalCursor } from '../read-store.ts'
import type { Tables } from '../tables.ts'
import type { Db } from '../unit.ts'

/** Where a walk stands: behind this confirmation and id. What was confirmed after `until` is left out. */
type Place = { readonly until: number; readonly confirmedAt: number; readonly id: string }

/** The cursor in front of everything; the walk leaves out what is confirmed or made after `now`. */
export function startOfWalk(now: Date): UnfinalCursor {
  return toCursor({ until: now.getTime(), confirmedAt: -1, id: '' })
}

/** The next rows that are not final, longest unconfirmed first. Throws `RangeError` for what is no cursor. */
export async function pageOfUnfinal(db: Db, after: UnfinalCursor, limit: number): Promise<Unfinal[]> {
  const place = toPlace(after)
  // The conditions of the partial indexes are written out, since a parameter would hide them from the planner.
  const payments = await db
    .selectFrom('payments')
    .select(['id', 'confirmed_at'])
    .where((eb) => eb('rank', '<', eb.lit(6)))
    .where((eb) => isBehind(eb, place))
    .orderBy('confirmed_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  const links = await db
    .selectFrom('links')
    .select(['id', 'confirmed_at'])
    .where('payment_id', 'is', null)
    .where((eb) => eb('expired', '=', eb.lit(0)))
    .where((eb) => isBehind(eb as ExpressionBuilder<Tables, Row>, place))
    .orderBy('confirmed_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return [...payments, ...links]
    .sort((a, b) => a.confirmed_at - b.confirmed_at || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id, confirmed_at: confirmedAt }) => ({ id, cursor: toCursor({ until: place.until, confirmedAt, id }) }))
}

type Row = 'payments' | 'links'

function isBehind(eb: ExpressionBuilder<Tables, Row>, { until, confirmedAt, id }: Place) {
  return eb.and([
    eb('confirmed_at', '>=', confirmedAt),
    eb('confirmed_at', '<=', until),
    eb.or([eb('confirmed_at', '>', confirmedAt), eb('id', '>', id)]),
  ])
}

function toCursor({ until, confirmedAt, id }: Place): UnfinalCursor {
  return `${until} ${confirmedAt} ${id}`
}

function toPlace(cursor: UnfinalCursor): Place {
  const [, until, confirmedAt, id] = /^(\d+) (-1|\d+) (.*)$/s.exec(cursor) ?? []
  if (until === undefined || confirmedAt === undefined || id === undefined)
    throw new RangeError('This is no cursor of a walk over what is not final.')
  return { until: Number(until), confirmedAt: Number(confirmedAt), id }
}
