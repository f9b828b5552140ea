import type { ColumnType, Generated } from 'kysely'
import type { AgreementPayer, AgreementStatus } from '../domain/agreements/agreement-report.ts'
import type { CommandState } from '../domain/command.ts'
import type { PaymentPhase } from '../domain/payments/payment-status.ts'
import type { Disposition } from '../domain/payments/payment.ts'
import type { ReadClass } from '../domain/reads/read-schedule.ts'
import type { RefKind } from './command-store.ts'
import type { LeaseName } from './lease-store.ts'

/** The tables as both databases hold them: instants in milliseconds since the epoch, truth values as 0 or 1, JSON as text. */
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
  readonly payouts: PayoutsTable
}

/** A truth value in a column. */
type Flag = 0 | 1

/** A row's number, given by the database. */
type Numbering = ColumnType<number, never, never>

type MetaTable = {
  id: number
  log_id: string
  opened_at: number
  heartbeat_at: number | null
  sweep_from: number | null
  sweep_cursor: string | null
}

type LogHeadTable = { id: number; position: number }

export type EventsTable = {
  position: number
  stream_id: string
  sequence: number
  /** A code, as the source: see `encoding/event-columns.ts`. */
  kind: string
  source: string
  from_status: string | null
  to_status: string | null
  link_ref: string | null
  payment_id: string | null
  agreement_id: string | null
  payment_json: string | null
  agreement_json: string | null
  recorded_at: number
  delivery_id: string | null
}

export type DeliveriesTable = {
  number: Numbering
  id: string
  /** Keyed hash of the raw body, of what an earlier version has stored; otherwise the id is the key of it. */
  body_hash: string | null
  ref: string | null
  subject_id: string | null
  status_raw: string | null
  disposition: Disposition
  attempts: number
  first_received_at: number
  last_received_at: number
  event_id: string | null
  body: string | null
}

type PaymentsTable = {
  number: Numbering
  id: string
  stream_id: string
  link_ref: string | null
  named_link_id: string | null
  state_json: string
  phase: PaymentPhase
  rank: number
  amount_known: Flag
  reference: string | null
  /** The reference of its link or payin, where the payment carries another one or none. */
  other_reference: string | null
  created_at: number
  updated_at: number
  confirmed_at: number
  deliveries: Generated<number>
  read_due_at: number | null
  read_class: Generated<ReadClass>
  read_failures: Generated<number>
  /** See `readSiteOf`. */
  read_site: string
  provisional: Flag
}

type PayersTable = { payment_id: string; name: string | null; email: string | null }

export type LinksTable = {
  number: Numbering
  id: string
  ref: string
  stream_id: string
  site: string
  reference: string
  checkout_url: string
  requested_value: string
  requested_currency: string
  description: string
  method_code: string | null
  owner_id: string | null
  created_at: number
  expires_at: number
  expired: Flag
  payment_id: string | null
  payment_phase: PaymentPhase | null
  confirmed_at: number
  deliveries: Generated<number>
  read_due_at: number | null
  read_class: Generated<ReadClass>
  read_failures: Generated<number>
}

export type PayinsTable = {
  payment_id: string
  ref: string
  site: string
  owner_id: string | null
  reference: string
  requested_value: string
  requested_currency: string
  method_code: string
  created_at: number
}

export type AgreementsTable = {
  number: Numbering
  id: string
  service_id: string | null
  client_transaction_id: string | null
  ref: string
  stream_id: string
  site: string
  status: AgreementStatus | null
  state_json: string
  created_at: number
  updated_at: number
  deliveries: Generated<number>
  read_due_at: number | null
  read_class: Generated<ReadClass>
  read_failures: Generated<number>
  provisional: Flag
}

type AgreementPayersTable = {
  agreement_id: string
  name: string | null
  bsb: string | null
  account_number_masked: string | null
  pay_id_masked: string | null
  pay_id_type: AgreementPayer['payIdType']
}

export type CommandsTable = {
  id: string
  mutation: string
  key: string
  /** Empty for what was recorded before keys belonged to a caller. */
  key_scope: string
  fingerprint: string
  state: CommandState
  attempt: number
  ref: string
  owner: string
  lease_until: number
  sent_at: number
  result_json: string | null
  subject_deliveries: number | null
  subject_version: number | null
}

type CommandRefsTable = {
  ref: string
  command_id: string
  attempt: number
  sent_at: number
  kind: RefKind
  site: string | null
}

type LeasesTable = { name: LeaseName; owner: string; until: number }

type PayoutsTable = { id: string; site: string }
