import type { EventFilter } from '../store.ts'
import type { Db } from '../unit.ts'

/** A stream in which events of a filter lie, and which of its events these are. */
export type StreamOfEvents = {
  readonly streamId: string
  /** Per column the values that an event has one of. */
  readonly only: readonly { readonly column: Subject; readonly values: readonly string[] }[]
}

type Subject = 'payment_id' | 'link_ref' | 'agreement_id'

/** What a filter asks for of one kind of thing, by the streams that this lies in; null where it does not matter there. */
type Condition = { readonly column: Subject | null; readonly streams: ReadonlyMap<string, readonly string[]> }

/**
 * The streams in which all events lie that are about the subjects of a filter; null where it names none. Everything that is ever
 * told about a payment, a link or an agreement lies in the stream that its first event was put in.
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

/** One for each subject that the filter names. Payments and agreements have fewer streams in common than payments and links. */
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

/** A link's own stream, and those of payments of which it turned out later that they came through it. */
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
