import type { Generated } from 'kysely'
import type { Disposition } from '../domain/payments/payment.ts'
import type { KeySetting } from '../keys/key-ring.ts'
import type { ErasureKind } from './retention/kinds.ts'
import type { PrunedKind } from './retention/kinds.ts'
import type { AgreementPayersTable, AgreementsTable } from './rows/agreement-rows.ts'
import type { CommandRefsTable, CommandsTable, PayinsTable, RefundRequestsTable } from './rows/command-rows.ts'
import type { GatewayPaymentsTable } from './rows/gateway-payment-rows.ts'
import type { LinksTable } from './rows/link-rows.ts'
import type { DeliveriesTable, EventsTable, GatewayPaymentEventsTable, PayoutEventsTable } from './rows/log-rows.ts'
import type { DuplicatePaymentsTable, PaidOrdersTable } from './rows/order-rows.ts'
import type { PayersTable, PaymentsTable } from './rows/payment-rows.ts'
import type { PayoutPayeesTable, PayoutRecordsTable } from './rows/payout-rows.ts'
import type { PaymentStatisticsTable } from './rows/statistics-rows.ts'
import type { Numbering, AnySpec } from './rows/table.ts'
import type {
  DeliveryReplaysTable,
  LeasesTable,
  MetaTable,
  PaymentImportEntriesTable,
  PaymentImportsTable,
} from './rows/upkeep-rows.ts'

/** The tables of both databases: instants in milliseconds since the epoch, booleans as 0 or 1, JSON as text. */
export type Tables = {
  readonly meta: MetaTable
  readonly log_head: LogHeadTable
  readonly events: EventsTable
  readonly deliveries: DeliveriesTable
  readonly payments: PaymentsTable
  readonly payment_payers: PayersTable
  readonly links: LinksTable
  readonly payins: PayinsTable
  readonly agreements: AgreementsTable
  readonly agreement_payers: AgreementPayersTable
  readonly commands: CommandsTable
  readonly command_refs: CommandRefsTable
  readonly leases: LeasesTable
  readonly payout_records: PayoutRecordsTable
  readonly payout_payees: PayoutPayeesTable
  readonly payout_events: PayoutEventsTable
  readonly gateway_payments: GatewayPaymentsTable
  readonly gateway_payment_events: GatewayPaymentEventsTable
  readonly refund_requests: RefundRequestsTable
  readonly paid_orders: PaidOrdersTable
  readonly duplicate_payments: DuplicatePaymentsTable
  readonly pruned_streams: PrunedStreamsTable
  readonly pruned_deliveries: PrunedDeliveriesTable
  readonly archives: ArchivesTable
  readonly erasures: ErasuresTable
  readonly signing_keys: SigningKeysTable
  readonly payment_statistics: PaymentStatisticsTable
  readonly payment_imports: PaymentImportsTable
  readonly payment_import_entries: PaymentImportEntriesTable
  readonly delivery_replays: DeliveryReplaysTable
}

export type SigningKeysTable = {
  setting: KeySetting
  key_id: string
  first_signed_at: number | null
  last_signed_at: number
  last_callback_at: number | null
}

type LogHeadTable = { id: number; position: number; horizon: number }

type PrunedStreamsTable = { stream_id: string; sequence: number }

type PrunedDeliveriesTable = { id: string; disposition: Disposition; received_at: number }

type ArchivesTable = {
  number: Numbering
  kind: PrunedKind
  until: number
  first: number
  last: number
  count: number
  file: string | null
  sha256: string | null
  archived_at: number
}

export type ErasuresTable = {
  number: Numbering
  kind: ErasureKind
  value: string | null
  value_hash: string
  requested_by: string | null
  requested_at: number
  cursor: string | null
  payments: Generated<number>
  agreements: Generated<number>
  payouts: Generated<number>
  payers: Generated<number>
  done_at: number | null
}

/** The parts of statements that differ between the databases. */
export type Dialect = {
  /** Returns the condition that columns have one of the values of a parameter. */
  oneOf(columns: readonly string[], spec: AnySpec, parameter: number): string
  /** Returns the source of an insert's rows, which follows the list of columns. */
  source(spec: AnySpec, parameter: number): string
}

/** Returns the select list of a row. */
function selected({ columns, numbered, derived }: AnySpec): string {
  if (derived !== undefined) return derived.select
  return [...(numbered === true ? ['number'] : []), ...Object.keys(columns)].join(', ')
}

/** Returns the statement that finds rows by a lookup, in any order: with ORDER BY a planner may scan the whole table in that order. */
export function selectStatement(dialect: Dialect, spec: AnySpec, lookup: string, parameter = 1): string {
  const columns = spec.lookups[lookup]?.columns ?? []
  const where = `FROM ${spec.name} WHERE ${dialect.oneOf(columns, spec, parameter)}`
  const group = spec.derived === undefined ? '' : ` GROUP BY ${spec.derived.groupBy}`
  return `SELECT ${selected(spec)} ${where}${group}`
}

/** Returns the statement that inserts rows. A duplicate key is an error, but that of a row whose figures are added to the stored ones. */
export function insertStatement(dialect: Dialect, spec: AnySpec, parameter = 1): string {
  const { name, columns, summed } = spec
  const sums = summed?.map((column) => `${column} = ${name}.${column} + excluded.${column}`).join(', ')
  const onConflict = sums === undefined ? '' : ` ON CONFLICT (${keyColumn(spec)}) DO UPDATE SET ${sums}`
  return `INSERT INTO ${name} (${Object.keys(columns).join(', ')}) ${dialect.source(spec, parameter)}${onConflict}`
}

/** Returns the statement that deletes rows by their primary keys. */
export function deleteStatement(dialect: Dialect, spec: AnySpec, parameter = 1): string {
  return `DELETE FROM ${spec.name} WHERE ${dialect.oneOf([keyColumn(spec)], spec, parameter)}`
}

/** Returns the name of a table's primary key. */
export function keyColumn({ columns }: AnySpec): string {
  return Object.keys(columns)[0] ?? ''
}
