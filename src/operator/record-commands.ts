import { z } from 'zod'
import type {
  ErasePayerCommand,
  ErasuresCommand,
  KeysCommand,
  SettleCommand,
  UnansweredCommand,
} from './command-line.ts'
import { ERASE, ERASURES, KEYS, SETTLE_CREATION, UNANSWERED } from './documents.ts'
import {
  type Ask,
  OperatorError,
  facts,
  firstOf,
  plain,
  table,
  eraseAnswer,
  type Erasure,
  erasuresAnswer,
  keysAnswer,
  type PaymentSigningKey,
} from './operator-answers.ts'

/** Erases payers. Returns the erasure as text, which does not repeat the value. Throws `OperatorError` when the graph refuses it. */
export async function erasePayer(ask: Ask, { by, value, json }: ErasePayerCommand): Promise<string> {
  const variables = { input: { by, value } }
  const { erasePayer: result } = (await ask(ERASE, { variables, shape: eraseAnswer })).data
  if (!('erasure' in result)) throw new OperatorError(`${result.code}: ${plain(result.message)}`)
  const { erasure } = result
  return json ? JSON.stringify(erasure, null, 2) : erasureText(erasure)
}

/** Returns a list of erasures as text. */
export async function listErasures(ask: Ask, { limit, json }: ErasuresCommand): Promise<string> {
  const { nodes: found, more } = await firstOf(
    limit,
    async (variables) => (await ask(ERASURES, { variables, shape: erasuresAnswer })).data.payerErasures,
  )
  if (json) return JSON.stringify(found, null, 2)
  if (found.length === 0) return 'No erasures.'
  return more ? `${erasureTable(found)}\nThere may be older ones: raise --limit.` : erasureTable(found)
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

/** Returns the signing keys as text, with what depends on each. */
export async function listKeys(ask: Ask, { json }: KeysCommand): Promise<string> {
  const { signingKeys: keys } = (await ask(KEYS, { variables: {}, shape: keysAnswer })).data
  if (json) return JSON.stringify(keys, null, 2)
  return [keyTable(keys), ...keys.map(dependentTable)].join('\n\n')
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

/** Returns the creations without an answer as text. */
export async function listUnanswered(ask: Ask, { limit, json }: UnansweredCommand): Promise<string> {
  const { unansweredGatewayPayments: found } = (
    await ask(UNANSWERED, { variables: { first: limit }, shape: unansweredAnswer })
  ).data
  if (json) return JSON.stringify(found, null, 2)
  if (found.length === 0) return 'Every gateway payment that was requested has an answer.'
  return table(
    ['OPERATION', 'ORDER', 'AMOUNT', 'SITE', 'SENT'],
    found.map(({ operationId, reference, amount: { value, currency }, site, requestedAt }) => [
      operationId,
      reference,
      `${value} ${currency}`,
      site,
      requestedAt,
    ]),
  )
}

/** Records what an operator found. Returns that as text. Throws `OperatorError` when the graph refuses it. */
export async function settle(ask: Ask, { id, paymentId, json }: SettleCommand): Promise<string> {
  const found = paymentId === null ? { outcome: 'NOT_CREATED' } : { outcome: 'CREATED', paymentId }
  const variables = { input: { operationId: id, ...found } }
  const { settleGatewayPaymentCreation: settled } = (await ask(SETTLE_CREATION, { variables, shape: settledAnswer }))
    .data
  if (!('outcome' in settled)) {
    const details = (settled.problems ?? []).map(({ path, message }) => ` ${path.join('.')} ${message}.`).join('')
    const status = settled.statusRaw === undefined ? '' : ` It is ${settled.statusRaw}.`
    throw new OperatorError(plain(`${settled.code}: ${settled.message}${details}${status}`))
  }
  if (json) return JSON.stringify(settled, null, 2)
  return paymentId === null
    ? 'Recorded: it was not created. Its idempotency key may be used again.'
    : `Recorded: it was created as ${plain(paymentId)}.`
}
