import type { EventFilter } from '../store.ts'
import type { Db } from '../unit.ts'

/** A stream that contains events of a filter, with the conditions that select them. */
export type StreamOfEvents = {
  readonly streamId: string
  /** Per column, the values that match. */
  readonly only: readonly { readonly column: Subject; readonly values: readonly string[] }[]
}

type Subject = 'payment_id' | 'link_ref' | 'agreement_id'

/** One condition of a filter: its values by the streams that contain them. A null column adds no condition on events. */
type Condition = { readonly column: Subject | null; readonly streams: ReadonlyMap<string, readonly string[]> }

/**
 * Returns the streams that contain all events about the subjects of a filter; null if it names none. All events of a payment, link or
 * agreement are in the stream of its first event.
 */
export async function findStreams(db: Db, filter: EventFilter): Promise<StreamOfEvents[] | null> {
  const conditions: Condition[] = []
  let common: string[] | null = null
  for (const look of lookUps(db, filter)) {
    const condition = await look()
    conditions.push(condition)
    common = (common ?? [...condition.streams.keys()]).filter((id) => condition.streams.has(id))
    if (common.length === 0) return []
  }
  if (common === null) return null
  return common.map((streamId) => ({
    streamId,
    only: conditions.flatMap(({ column, streams }) =>
      column === null ? [] : [{ column, values: streams.get(streamId) ?? [] }],
    ),
  }))
}

/** Returns a lookup per subject kind of the filter. Links come last: payments share more streams with them than with agreements. */
function lookUps(db: Db, filter: EventFilter): (() => Promise<Condition>)[] {
  const { streamIds, paymentIds, linkIds, agreementIds } = filter
  const found: (() => Promise<Condition>)[] = []
  if (streamIds !== undefined)
    found.push(async () => ({ column: null, streams: new Map(streamIds.map((id) => [id, []])) }))
  if (agreementIds !== undefined) found.push(async () => by('agreement_id', await ofAgreements(db, agreementIds)))
  if (paymentIds !== undefined) found.push(async () => by('payment_id', await ofPayments(db, paymentIds)))
  if (linkIds !== undefined) found.push(async () => by('link_ref', await ofLinks(db, linkIds)))
  return found
}

type Found = { readonly stream_id: string; readonly value: string }

function by(column: Subject, found: readonly Found[]): Condition {
  const streams = new Map<string, string[]>()
  for (const { stream_id: id, value } of found) streams.set(id, [...new Set([...(streams.get(id) ?? []), value])])
  return { column, streams }
}

async function ofPayments(db: Db, ids: readonly string[]): Promise<Found[]> {
  return db.selectFrom('payments').select(['stream_id', 'id as value']).where('id', 'in', ids).execute()
}

/** Returns each link's own stream, and those of payments that were assigned to it after their first event. */
async function ofLinks(db: Db, ids: readonly string[]): Promise<Found[]> {
  const links = await db.selectFrom('links').select(['stream_id', 'ref as value']).where('id', 'in', ids).execute()
  if (links.length === 0) return []
  const refs = links.map(({ value }) => value)
  const payments = await db
    .selectFrom('payments')
    .select(['stream_id', (eb) => eb.ref('link_ref').$notNull().as('value')])
    .where('link_ref', 'in', refs)
    .execute()
  return [...links, ...payments]
}

async function ofAgreements(db: Db, ids: readonly string[]): Promise<Found[]> {
  return db.selectFrom('agreements').select(['stream_id', 'id as value']).where('id', 'in', ids).execute()
}
