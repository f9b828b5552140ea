import type { Command, CommandState } from '../../domain/command.ts'
import type { GatewayPaymentFacts } from '../../domain/gateway/gateway-payment.ts'
import type { DirectPayin } from '../../domain/payments/direct-payin.ts'
import type { CommandKey, RefKind } from '../command-store.ts'
import { fromIso, toIso, type StoredRow, type TableSpec } from './table.ts'

export type CommandsTable = {
  id: string
  mutation: string
  key: string
  /** Whose key it is. */
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
  subject_id: string | null
  requested_by: string | null
}

export type CommandRefsTable = {
  ref: string
  command_id: string
  attempt: number
  sent_at: number
  kind: RefKind
  site: string
  requested_json: string | null
  owner_id: string | null
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

export const COMMANDS: TableSpec<Command, 'id' | 'key'> = {
  name: 'commands',
  columns: {
    id: 'text',
    mutation: 'text',
    key: 'text',
    key_scope: 'text',
    fingerprint: 'text',
    state: 'text',
    attempt: 'integer',
    ref: 'text',
    owner: 'text',
    lease_until: 'integer',
    sent_at: 'integer',
    result_json: 'text',
    subject_deliveries: 'integer',
    subject_version: 'integer',
    subject_id: 'text',
    requested_by: 'text',
  },
  keyOf: ({ id }) => id,
  lookups: {
    id: { columns: ['id'], keyOf: ({ id }) => id },
    key: { columns: ['mutation', 'key', 'key_scope'], keyOf: commandLookup },
  },
  fromRow: toCommand,
  toRow: (command) => ({
    id: command.id,
    mutation: command.mutation,
    key: command.key,
    key_scope: command.keyScope,
    fingerprint: command.fingerprint,
    state: command.state,
    attempt: command.attempt,
    ref: command.ref,
    owner: command.owner,
    lease_until: command.leaseUntil,
    sent_at: command.sentAt,
    result_json: command.result === null ? null : JSON.stringify(command.result),
    subject_deliveries: command.subjectDeliveries,
    subject_version: command.subjectVersion,
    subject_id: command.subjectId,
    requested_by: command.requestedBy,
  }),
}

/** Returns the lookup value of the command with an idempotency key. */
export function commandLookup({ mutation, key, keyScope }: CommandKey): string {
  return JSON.stringify([mutation, key, keyScope])
}

/** Returns the command of a row. */
export function toCommand(row: StoredRow): Command {
  const result = row['result_json']
  return {
    id: String(row['id']),
    mutation: String(row['mutation']),
    key: String(row['key']),
    keyScope: String(row['key_scope']),
    fingerprint: String(row['fingerprint']),
    state: row['state'] as Command['state'],
    attempt: Number(row['attempt']),
    ref: String(row['ref']),
    owner: String(row['owner']),
    leaseUntil: Number(row['lease_until']),
    sentAt: Number(row['sent_at']),
    subjectDeliveries: row['subject_deliveries'] as number | null,
    subjectVersion: row['subject_version'] as number | null,
    subjectId: row['subject_id'] as string | null,
    requestedBy: row['requested_by'] as string | null,
    result: typeof result === 'string' ? (JSON.parse(result) as unknown) : null,
  }
}

/** An attempt of a command, by its correlation id. It is kept when its command is deleted. */
export type AttemptRow = {
  readonly ref: string
  readonly commandId: string
  readonly attempt: number
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  readonly kind: RefKind
  /** Id of the site whose credentials were used. */
  readonly site: string
  /** What a gateway payment was requested with; null for every other attempt. */
  readonly requested: GatewayPaymentFacts | null
  /** The owner of an agreement that was requested; null for every other attempt. */
  readonly ownerId: string | null
}

export const ATTEMPTS: TableSpec<AttemptRow, 'ref' | 'commandId'> = {
  name: 'command_refs',
  columns: {
    ref: 'text',
    command_id: 'text',
    attempt: 'integer',
    sent_at: 'integer',
    kind: 'text',
    site: 'text',
    requested_json: 'text',
    owner_id: 'text',
  },
  keyOf: ({ ref }) => ref,
  lookups: {
    ref: { columns: ['ref'], keyOf: ({ ref }) => ref },
    commandId: { columns: ['command_id'], keyOf: ({ commandId }) => commandId },
  },
  fromRow: (row) => ({
    ref: String(row['ref']),
    commandId: String(row['command_id']),
    attempt: Number(row['attempt']),
    sentAt: Number(row['sent_at']),
    kind: row['kind'] as RefKind,
    site: String(row['site']),
    requested: toRequested(row['requested_json'] as string | null),
    ownerId: row['owner_id'] as string | null,
  }),
  toRow: ({ ref, commandId, attempt, sentAt, kind, site, requested, ownerId }) => ({
    ref,
    command_id: commandId,
    attempt,
    sent_at: sentAt,
    kind,
    site,
    requested_json: requested === null ? null : JSON.stringify(requested),
    owner_id: ownerId,
  }),
}

/** Returns the facts of the column; null without any. */
export function toRequested(json: string | null): GatewayPaymentFacts | null {
  return json === null ? null : (JSON.parse(json) as GatewayPaymentFacts)
}

export const PAYINS: TableSpec<DirectPayin, 'paymentId' | 'ref'> = {
  name: 'payins',
  columns: {
    payment_id: 'text',
    ref: 'text',
    site: 'text',
    owner_id: 'text',
    reference: 'text',
    requested_value: 'text',
    requested_currency: 'text',
    method_code: 'text',
    created_at: 'integer',
  },
  keyOf: ({ paymentId }) => paymentId,
  lookups: {
    paymentId: { columns: ['payment_id'], keyOf: ({ paymentId }) => paymentId },
    ref: { columns: ['ref'], keyOf: ({ ref }) => ref },
  },
  fromRow: toPayin,
  toRow: (payin) => ({
    payment_id: payin.paymentId,
    ref: payin.ref,
    site: payin.site,
    owner_id: payin.ownerId,
    reference: payin.reference,
    requested_value: payin.requestedAmount.value,
    requested_currency: payin.requestedAmount.currency,
    method_code: payin.methodCode,
    created_at: fromIso(payin.createdAt),
  }),
}

/** Returns the direct payin of a row. */
export function toPayin(row: StoredRow): DirectPayin {
  return {
    paymentId: String(row['payment_id']),
    ref: String(row['ref']),
    site: String(row['site']),
    ownerId: row['owner_id'] as string | null,
    reference: String(row['reference']),
    requestedAmount: { value: String(row['requested_value']), currency: String(row['requested_currency']) },
    methodCode: String(row['method_code']),
    createdAt: toIso(Number(row['created_at'])),
  }
}

export type RefundRequestsTable = {
  command_id: string
  payment_id: string
  idempotency_key: string | null
  reason: string | null
}

/** A refund that a command has requested. */
export type RefundRequestRow = {
  readonly commandId: string
  readonly paymentId: string
  /** Null for a refund that was made elsewhere, whose `commandId` is its own id. */
  readonly idempotencyKey: string | null
  /** Null once it is erased with the payer. */
  readonly reason: string | null
}

export const REFUND_REQUESTS: TableSpec<RefundRequestRow, 'commandId'> = {
  name: 'refund_requests',
  columns: { command_id: 'text', payment_id: 'text', idempotency_key: 'text', reason: 'text' },
  keyOf: ({ commandId }) => commandId,
  lookups: { commandId: { columns: ['command_id'], keyOf: ({ commandId }) => commandId } },
  fromRow: (row) => ({
    commandId: String(row['command_id']),
    paymentId: String(row['payment_id']),
    idempotencyKey: row['idempotency_key'] as string | null,
    reason: row['reason'] as string | null,
  }),
  toRow: ({ commandId, paymentId, idempotencyKey, reason }) => ({
    command_id: commandId,
    payment_id: paymentId,
    idempotency_key: idempotencyKey,
    reason,
  }),
}
