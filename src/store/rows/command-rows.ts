import type { Command, CommandState } from '../../domain/command.ts'
import type { GatewayPaymentFacts } from '../../domain/gateway/gateway-payment.ts'
import type { DirectPayin } from '../../domain/payments/direct-payin.ts'
import type { CommandKey, RefKind } from '../command-store.ts'
import { instant, integer, jsonOrNull, named, reshaped, type RowOf, type TableOf, tableOf, text } from './columns.ts'
import type { TableSpec } from './table.ts'

const commands = tableOf(
  'commands',
  {
    id: text(),
    mutation: text(),
    key: text(),
    /** Whose key it is. */
    keyScope: text(),
    fingerprint: text(),
    state: text<CommandState>(),
    attempt: integer(),
    ref: text(),
    owner: text(),
    leaseUntil: integer(),
    sentAt: integer(),
    result: named('result_json', jsonOrNull<unknown>()),
    subjectDeliveries: integer<number | null>(),
    subjectVersion: integer<number | null>(),
  },
  ['id'],
)

export type CommandsTable = TableOf<typeof commands.fields>

export const COMMANDS: TableSpec<Command, 'id' | 'key'> = {
  ...commands,
  lookups: { ...commands.lookups, key: { columns: ['mutation', 'key', 'key_scope'], keyOf: commandLookup } },
}

/** Returns the lookup value of the command with an idempotency key. */
export function commandLookup({ mutation, key, keyScope }: CommandKey): string {
  return JSON.stringify([mutation, key, keyScope])
}

export const REQUESTED = jsonOrNull<GatewayPaymentFacts>()

/** Attempts of commands, by correlation id. They are kept when their command is deleted. */
export const ATTEMPTS = tableOf(
  'command_refs',
  {
    ref: text(),
    commandId: text(),
    attempt: integer(),
    /** Milliseconds since the epoch. */
    sentAt: integer(),
    kind: text<RefKind>(),
    /** Id of the site whose credentials were used. */
    site: text(),
    /** What a gateway payment was requested with; null for every other attempt. */
    requested: named('requested_json', REQUESTED),
    /** The owner of an agreement that was requested; null for every other attempt. */
    ownerId: text<string | null>(),
    /** The span of the request; null without traces. */
    traceparent: text<string | null>(),
  },
  ['ref', 'commandId'],
)

export type AttemptRow = RowOf<typeof ATTEMPTS.fields>
export type CommandRefsTable = TableOf<typeof ATTEMPTS.fields>

const payins = tableOf(
  'payins',
  {
    paymentId: text(),
    ref: text(),
    site: text(),
    ownerId: text<string | null>(),
    reference: text(),
    requestedValue: text(),
    requestedCurrency: text(),
    methodCode: text(),
    createdAt: instant,
  },
  ['paymentId', 'ref'],
)

export type PayinsTable = TableOf<typeof payins.fields>

export const PAYINS: TableSpec<DirectPayin, 'paymentId' | 'ref'> = reshaped(
  payins,
  ({ requestedAmount: { value: requestedValue, currency: requestedCurrency }, ...payin }) => ({
    ...payin,
    requestedValue,
    requestedCurrency,
  }),
  ({ requestedValue: value, requestedCurrency: currency, ...payin }) => ({
    ...payin,
    requestedAmount: { value, currency },
  }),
)

/** Refunds that commands have requested. */
export const REFUND_REQUESTS = tableOf(
  'refund_requests',
  {
    commandId: text(),
    paymentId: text(),
    /** Null for a refund that was made elsewhere, whose `commandId` is its own id. */
    idempotencyKey: text<string | null>(),
    /** Null once it is erased with the payer. */
    reason: text<string | null>(),
  },
  ['commandId'],
)

export type RefundRequestRow = RowOf<typeof REFUND_REQUESTS.fields>
export type RefundRequestsTable = TableOf<typeof REFUND_REQUESTS.fields>
