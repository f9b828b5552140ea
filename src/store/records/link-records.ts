import type { Insertable, Selectable } from 'kysely'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { LinksTable } from '../tables.ts'
import type { Db } from '../unit.ts'
import { fromIso, toIso } from './instants.ts'

export type LinkRow = Selectable<LinksTable>

/** Reads a link out of its row. */
export function toLink(row: LinkRow): PaymentLink {
  return {
    id: row.id,
    ref: row.ref,
    streamId: row.stream_id,
    site: row.site,
    reference: row.reference,
    checkoutUrl: row.checkout_url,
    requestedAmount: { value: row.requested_value, currency: row.requested_currency },
    description: row.description,
    methodCode: row.method_code,
    ownerId: row.owner_id,
    createdAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
    expired: row.expired === 1,
    paymentId: row.payment_id,
  }
}

/** Reads a link out of the columns of a join: all of them are null where there is none. */
export function toLinkOrNull(row: { [Column in keyof LinkRow]: LinkRow[Column] | null }): PaymentLink | null {
  return row.id === null ? null : toLink(row as LinkRow)
}

/** The row of a link that no payment is known of yet. */
export function toLinkRow(link: PaymentLink, readDueAt: number): Insertable<LinksTable> {
  return {
    id: link.id,
    ref: link.ref,
    stream_id: link.streamId,
    site: link.site,
    reference: link.reference,
    checkout_url: link.checkoutUrl,
    requested_value: link.requestedAmount.value,
    requested_currency: link.requestedAmount.currency,
    description: link.description,
    method_code: link.methodCode,
    owner_id: link.ownerId,
    created_at: fromIso(link.createdAt),
    expires_at: fromIso(link.expiresAt),
    expired: link.expired ? 1 : 0,
    payment_id: null,
    payment_phase: null,
    confirmed_at: fromIso(link.createdAt),
    read_due_at: readDueAt,
  }
}

/** The link with this correlator or this upstream uuid, as this transaction sees it. */
export async function findLink(db: Db, by: { ref: string } | { id: string }): Promise<PaymentLink | null> {
  const links = db.selectFrom('links').selectAll()
  const row = await ('ref' in by ? links.where('ref', '=', by.ref) : links.where('id', '=', by.id)).executeTakeFirst()
  return row === undefined ? null : toLink(row)
}
