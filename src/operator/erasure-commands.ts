import type { ErasePayerCommand, ErasuresCommand } from './command-line.ts'
import { ERASE, ERASURES } from './documents.ts'
import type { Ask } from './graph-client.ts'
import { eraseAnswer, type Erasure, erasuresAnswer, OperatorError, facts, plain, table } from './operator-answers.ts'

/** Maximum page size of the graph. */
const PAGE = 100

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
  const found: Erasure[] = []
  let next: { readonly after: string | null; readonly more: boolean } = { after: null, more: true }
  while (next.more && found.length < limit) {
    const variables = { first: Math.min(PAGE, limit - found.length), after: next.after }
    const { nodes, pageInfo } = (await ask(ERASURES, { variables, shape: erasuresAnswer })).data.payerErasures
    found.push(...nodes)
    next = { after: pageInfo.endCursor, more: pageInfo.hasNextPage }
  }
  if (json) return JSON.stringify(found, null, 2)
  if (found.length === 0) return 'No erasures.'
  return next.more ? `${erasureTable(found)}\nThere are older ones: raise --limit.` : erasureTable(found)
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
