import type { Selectable } from 'kysely'
import type { Delivery } from '../../domain/delivery.ts'
import type { Disposition } from '../../domain/payments/payment.ts'
import { flagOrNull, instant, integer, jsonOrNull, named, type RowOf, type TableOf, tableOf, text } from './columns.ts'
import type { Numbering } from './table.ts'

/** What is kept of a pruned delivery, so that a repeat is recognised. */
export const PRUNED_DELIVERIES = tableOf('pruned_deliveries', { id: text(), disposition: text<Disposition>() }, ['id'])

/** Stored deliveries. Their numbers are assigned by the database. */
export const DELIVERIES = {
  ...tableOf(
    'deliveries',
    {
      id: text(),
      ref: text<string | null>(),
      subjectId: text<string | null>(),
      statusRaw: text<string | null>(),
      disposition: text<Disposition>(),
      attempts: integer(),
      firstReceivedAt: instant,
      lastReceivedAt: instant,
      signed: flagOrNull,
      keyId: text<string | null>(),
      eventId: text<string | null>(),
      body: text<string | null>(),
      headers: named('headers_json', jsonOrNull<Readonly<Record<string, string>>>()),
      storedAfterMs: integer<number | null>(),
    },
    ['id'],
  ),
  numbered: true,
}

export type DeliveryRow = RowOf<typeof DELIVERIES.fields>
export type DeliveriesTable = TableOf<typeof DELIVERIES.fields> & { number: Numbering }

/** Returns the delivery of a row. */
export function toDelivery(row: Selectable<DeliveriesTable>): Delivery {
  return { number: row.number, ...DELIVERIES.fromRow(row) }
}
