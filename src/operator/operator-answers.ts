import { z } from 'zod'

const state = z.object({
  id: z.string(),
  statusRaw: z.string(),
  version: z.number(),
  updatedAt: z.string(),
})

const delivery = z.object({
  id: z.string(),
  disposition: z.string(),
  quarantineReason: z.string().nullable(),
  subjectId: z.string().nullable(),
  statusRaw: z.string().nullable(),
  attempts: z.number(),
  firstReceivedAt: z.string(),
  lastReceivedAt: z.string(),
  event: z.object({ id: z.string(), toStatus: z.string().nullable() }).nullable(),
  payment: state.extend({ provisional: z.boolean() }).nullable(),
  agreement: state.nullable(),
})

export const deliveriesAnswer = z.object({
  webhookDeliveries: z.object({
    nodes: z.array(delivery),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
})

export const deliveryAnswer = z.object({
  webhookDelivery: delivery
    .extend({
      ref: z.string().nullable(),
      body: z.string().nullable(),
      link: z.object({ id: z.string(), state: z.string() }).nullable(),
    })
    .nullable(),
})

const replayed = z.object({
  __typename: z.literal('ReplayWebhookDeliverySuccess'),
  applied: z.boolean(),
  dispositionBefore: z.string(),
  dispositionAfter: z.string(),
  readRequested: z.boolean(),
  statusBefore: z.string().nullable(),
  statusAfter: z.string().nullable(),
  delivery,
})

export const replayAnswer = z.object({
  replayWebhookDelivery: z.union([replayed, z.object({ code: z.string(), message: z.string() })]),
})

const erasure = z.object({
  id: z.string(),
  by: z.string(),
  state: z.string(),
  valueHash: z.string(),
  requestedBy: z.string().nullable(),
  requestedAt: z.string(),
  payments: z.number(),
  agreements: z.number(),
  payouts: z.number(),
  payers: z.number(),
  doneAt: z.string().nullable(),
})

export const eraseAnswer = z.object({
  erasePayer: z.union([z.object({ erasure }), z.object({ code: z.string(), message: z.string() })]),
})

export const erasuresAnswer = z.object({
  payerErasures: z.object({
    nodes: z.array(erasure),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
})

const signingKey = z.object({
  keyId: z.string(),
  setting: z.string(),
  state: z.string(),
  firstSignedAt: z.string().nullable(),
  lastSignedAt: z.string(),
  lastCallbackAt: z.string().nullable(),
  removable: z.boolean(),
  dependents: z.array(
    z.object({ kind: z.string(), needed: z.boolean(), until: z.string().nullable(), count: z.number().nullable() }),
  ),
})

export const keysAnswer = z.object({ signingKeys: z.array(signingKey) })

export type SigningKey = z.output<typeof signingKey>
export type Erasure = z.output<typeof erasure>
export type Delivery = z.output<typeof delivery>
export type FullDelivery = NonNullable<z.output<typeof deliveryAnswer>['webhookDelivery']>
export type Replayed = z.output<typeof replayed>

/** Returns a text that is safe for a terminal: control, invisible and text-direction characters are shown as their codes. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** Placeholder for an empty value. */
export const NOTHING = '-'

/** Formats a table with columns as wide as their content. */
export function table(head: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const lines = [head, ...rows].map((row) => row.map((cell) => plain(cell ?? NOTHING).replaceAll('\n', ' ')))
  const widths = head.map((_name, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats one line per name and value. */
export function facts(pairs: readonly (readonly [name: string, value: string | null])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${plain(value ?? NOTHING)}`).join('\n')
}

/** The command line is invalid: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The operation was refused or failed: exit code 1. The message is for the operator and contains no secrets. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
