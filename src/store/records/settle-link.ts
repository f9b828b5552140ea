import { type PaymentLink, speaksForLink } from '../../domain/payment-link.ts'
import type { Payment } from '../../domain/payment.ts'
import { readAfterExpiry } from '../../domain/read-schedule.ts'
import { StoreConflictError } from '../errors.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { appendEvent, reservePlace } from './append-event.ts'
import { joinLink, pollOf, tellLink } from './change-payment.ts'
import { fromIso } from './instants.ts'
import { findLink, toLinkRow } from './link-records.ts'
import { savePayment, toPayment } from './payment-records.ts'
import { planReadBy } from './plan-read.ts'
import { findUnsettled, markSettled } from './settle-command.ts'

/**
 * Ends a command with the link it made: the link, its LINK_CREATED event and the command's result. A payment that came
 * in on the link's address before is taken over. A second time for the same command and link changes nothing.
 * Throws `StoreConflictError` for a command that ended otherwise, and for a link that is on record already.
 */
export async function settleWithLink(
  unit: WriteUnit,
  commandId: string,
  { link, at }: { link: PaymentLink; at: Date },
): Promise<void> {
  const { db } = unit
  const result = { linkId: link.id }
  if ((await findUnsettled(db, commandId, result)) === null) return
  await assertNew(db, link)
  await db
    .insertInto('links')
    .values(toLinkRow(link, readAfterExpiry(fromIso(link.expiresAt))))
    .execute()
  await appendLinkCreated(unit, link, at)
  await takeOverPayments(unit, link, at.getTime())
  await markSettled(db, commandId, result)
}

async function assertNew(db: Db, link: PaymentLink): Promise<void> {
  if ((await findLink(db, { id: link.id })) !== null)
    throw new StoreConflictError(`The service gave the uuid ${link.id} to a second link.`)
  if ((await findLink(db, { ref: link.ref })) !== null)
    throw new StoreConflictError('The correlator of the link belongs to another link.')
}

async function appendLinkCreated(unit: WriteUnit, link: PaymentLink, at: Date): Promise<void> {
  await appendEvent(unit, await reservePlace(unit.db, link.streamId), {
    kind: 'LINK_CREATED',
    source: 'COMMAND',
    fromStatus: null,
    toStatus: null,
    linkRef: link.ref,
    payment: null,
    agreement: null,
    recordedAt: at.toISOString(),
    deliveryId: null,
  })
}

async function takeOverPayments(unit: WriteUnit, link: PaymentLink, at: number): Promise<void> {
  const { db } = unit
  let speaker: Payment | null = null
  for (const found of await paymentsThrough(db, link)) {
    const payment = joinLink(found, link.ref, link)
    await savePayment(db, payment, { site: link.site })
    const { next } = pollOf(unit, payment, { link, at })
    if (next !== null) await planReadBy(db, { payment, link }, next)
    if (speaksForLink(payment, speaker)) speaker = payment
  }
  if (speaker !== null) await tellLink(db, link, speaker)
}

/** Payments that came to the link's address, or named the link, before it was on record; oldest first. */
async function paymentsThrough(db: Db, link: PaymentLink): Promise<Payment[]> {
  const rows = await db
    .selectFrom('payments')
    .select('state_json')
    .where((eb) =>
      eb.or([
        eb('link_ref', '=', link.ref),
        eb.and([eb('link_ref', 'is', null), eb.or([eb('named_link_id', '=', link.id), eb('id', '=', link.id)])]),
      ]),
    )
    .orderBy('number')
    .execute()
  return rows.map((row) => toPayment(row.state_json))
}
