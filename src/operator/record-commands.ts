import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ERASABLE, ERASE, ERASURES, KEYS, SETTLE_CREATION, UNANSWERED } from './documents.ts'
import type { Terminal } from './imports/import-commands.ts'
import {
  type Ask,
  OperatorError,
  UsageError,
  facts,
  firstOf,
  plain,
  table,
  erasableAnswer,
  eraseAnswer,
  type Erasure,
  erasuresAnswer,
  keysAnswer,
  type PaymentSigningKey,
} from './operator-answers.ts'
import type { Report } from './report.ts'

type Limited = { readonly limit: number }

/** What payers are erased by, as the graph names it, by the option. */
const ERASED_BY = {
  payment: 'PAYMENT',
  link: 'LINK',
  agreement: 'AGREEMENT',
  payout: 'PAYOUT',
  owner: 'OWNER',
  email: 'EMAIL',
} as const

type EraseOptions = { readonly yes: boolean } & { readonly [Name in keyof typeof ERASED_BY]?: string }

/** Erases payers, after the count was shown; without `yes` it only shows that. Returns the erasure, which does not repeat the value. Throws `OperatorError` when the graph refuses it. */
export async function erasePayer(ask: Ask, { yes, ...options }: EraseOptions, terminal: Terminal): Promise<Report> {
  const [given, ...more] = Object.entries(ERASED_BY).flatMap(([name, by]) => {
    const value = options[name as keyof typeof ERASED_BY]
    return value === undefined ? [] : [{ by, value }]
  })
  if (given === undefined || more.length > 0)
    throw new UsageError('Pass exactly one of --payment, --link, --agreement, --payout, --owner and --email.')
  const { by, value } = given
  const input = { by, value }
  const { erasablePayers: found } = (await ask(ERASABLE, { variables: { of: input }, shape: erasableAnswer })).data
  const count = `${found.payments} payments, ${found.agreements} agreements and ${found.payouts} payouts`
  const text = `Dry run: nothing has been erased.\nThe payers of ${count} would be.\nWith --yes it is done, and cannot be undone.`
  if (!yes) return { data: found, text }
  terminal.write(`The payers of ${count} are erased.\n`)
  const variables = { input }
  const { erasePayer: result } = (await ask(ERASE, { variables, shape: eraseAnswer })).data
  if (!('erasure' in result)) throw new OperatorError(`${result.code}: ${plain(result.message)}`)
  const { erasure } = result
  return { data: erasure, text: erasureText(erasure) }
}

/** Returns a list of erasures. */
export async function listErasures(ask: Ask, { limit }: Limited): Promise<Report> {
  const { nodes: found, more } = await firstOf(
    limit,
    async (variables) => (await ask(ERASURES, { variables, shape: erasuresAnswer })).data.payerErasures,
  )
  const older = more ? '\nThere may be older ones: raise --limit.' : ''
  return { data: found, text: found.length === 0 ? 'No erasures.' : `${erasureTable(found)}${older}` }
}

function erasureText({ id, by, state, payments, agreements, payouts, payers }: Erasure): string {
  const lines = facts([
    ['erasure', `${id}, by ${by}`],
    ['payments', String(payments)],
    ['agreements', String(agreements)],
    ['payouts', String(payouts)],
    ['payers on record', String(payers)],
  ])
  return state === 'DONE' ? `Done.\n${lines}` : `Running: the rest is erased in the background; see erasures.\n${lines}`
}

function erasureTable(erasures: readonly Erasure[]): string {
  return table(
    [
      'ID',
      'REQUESTED',
      'BY',
      'STATE',
      'PAYMENTS',
      'AGREEMENTS',
      'PAYOUTS',
      'PAYERS',
      'REQUESTED BY',
      'DONE',
      'VALUE HASH',
    ],
    erasures.map((erasure) => [
      erasure.id,
      erasure.requestedAt,
      erasure.by,
      erasure.state,
      String(erasure.payments),
      String(erasure.agreements),
      String(erasure.payouts),
      String(erasure.payers),
      erasure.requestedBy,
      erasure.doneAt,
      erasure.valueHash,
    ]),
  )
}

/** Returns the signing keys, with what depends on each. */
export async function listKeys(ask: Ask): Promise<Report> {
  const { signingKeys: keys } = (await ask(KEYS, { variables: {}, shape: keysAnswer })).data
  return { data: keys, text: [keyTable(keys), ...keys.map(dependentTable)].join('\n\n') }
}

/** The steps of a rotation: each needs a restart of every node before the next. */
export const ROTATION = ['add', 'promote', 'remove'] as const

/**
 * Returns the value of a setting after the next step of a rotation. Throws `OperatorError` if something still depends on a key that would be
 * removed.
 */
export async function rotate(
  ask: () => Ask,
  { step, setting, keys }: { step: (typeof ROTATION)[number]; setting: string; keys: readonly string[] },
): Promise<string> {
  const [first = '', ...others] = keys
  if (step === 'add') return [...keys, newKey()].join(',')
  if (others.length === 0) throw new OperatorError(`${setting} lists one key: add another first.`)
  if (step === 'promote') return [...others.slice(-1), first, ...others.slice(0, -1)].join(',')
  const { signingKeys } = (await ask()(KEYS, { variables: {}, shape: keysAnswer })).data
  const needed = signingKeys.find((key) => key.setting === setting && key.state === 'VERIFIES' && !key.removable)
  if (needed !== undefined)
    throw new OperatorError(`Something depends on the key ${needed.keyId} of ${setting}: see the report.`)
  return first
}

/** Returns a new key of 32 random bytes. */
export function newKey(): string {
  return randomBytes(32).toString('hex')
}

function keyTable(keys: readonly PaymentSigningKey[]): string {
  return table(
    ['KEY', 'SETTING', 'STATE', 'SIGNED SINCE', 'LAST SIGNED', 'LAST CALLBACK', 'REMOVABLE'],
    keys.map((key) => [
      key.keyId,
      key.setting,
      key.state,
      key.firstSignedAt,
      key.lastSignedAt,
      key.lastCallbackAt,
      key.removable ? 'yes' : 'no',
    ]),
  )
}

function dependentTable({ keyId, setting, dependents }: PaymentSigningKey): string {
  return table(
    [`${keyId} OF ${setting}`, 'NEEDED', 'UNTIL', 'COUNT'],
    dependents.map(({ kind, needed, until, count }) => [
      kind,
      needed ? 'yes' : 'no',
      until ?? 'no end',
      count === null ? null : String(count),
    ]),
  )
}

const unansweredAnswer = z.object({
  unansweredGatewayPayments: z.array(
    z.object({
      operationId: z.string(),
      reference: z.string(),
      amount: z.object({ value: z.string(), currency: z.string() }),
      site: z.string(),
      requestedAt: z.string(),
    }),
  ),
})

const problems = z.array(z.object({ path: z.array(z.string()), message: z.string() })).optional()

const settledAnswer = z.object({
  settleGatewayPaymentCreation: z.union([
    z.object({ operationId: z.string(), outcome: z.string(), paymentId: z.string().nullable() }),
    z.object({ code: z.string(), message: z.string(), statusRaw: z.string().optional(), problems }),
  ]),
})

/** Returns the creations without an answer. */
export async function listUnanswered(ask: Ask, { limit }: Limited): Promise<Report> {
  const { unansweredGatewayPayments: found } = (
    await ask(UNANSWERED, { variables: { first: limit }, shape: unansweredAnswer })
  ).data
  const text = table(
    ['OPERATION', 'ORDER', 'AMOUNT', 'SITE', 'SENT'],
    found.map(({ operationId, reference, amount: { value, currency }, site, requestedAt }) => [
      operationId,
      reference,
      `${value} ${currency}`,
      site,
      requestedAt,
    ]),
  )
  return { data: found, text: found.length === 0 ? 'Every gateway payment that was requested has an answer.' : text }
}

/** Records what an operator found. Returns that. Throws `OperatorError` when the graph refuses it. */
export async function settle(
  ask: Ask,
  { id, created: paymentId = null, notCreated }: { id: string; created?: string | null; notCreated: boolean },
): Promise<Report> {
  if ((paymentId !== null) === notCreated) throw new UsageError('Pass either --created or --not-created.')
  const found = paymentId === null ? { outcome: 'NOT_CREATED' } : { outcome: 'CREATED', paymentId }
  const variables = { input: { operationId: id, ...found } }
  const { settleGatewayPaymentCreation: settled } = (await ask(SETTLE_CREATION, { variables, shape: settledAnswer }))
    .data
  if (!('outcome' in settled)) {
    const details = (settled.problems ?? []).map(({ path, message }) => ` ${path.join('.')} ${message}.`).join('')
    const status = settled.statusRaw === undefined ? '' : ` It is ${settled.statusRaw}.`
    throw new OperatorError(plain(`${settled.code}: ${settled.message}${details}${status}`))
  }
  const text =
    paymentId === null
      ? 'Recorded: it was not created. Its idempotency key may be used again.'
      : `Recorded: it was created as ${plain(paymentId)}.`
  return { data: settled, text }
}
