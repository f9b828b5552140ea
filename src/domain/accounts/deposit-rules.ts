import { present, problem, TEXT, textProblem } from '../field-problems.ts'
import type { Problem } from '../field-problems.ts'
import { amountProblem, type Money } from '../money/money.ts'
import { toHalfWidthKatakana } from './katakana.ts'

/** A request for a simulated deposit in the sandbox. */
export type DepositRequest = {
  readonly accountNumber: string
  readonly amount: Money
  readonly remitterName?: string | null | undefined
  readonly remitterBankName?: string | null | undefined
  readonly remitterBranchName?: string | null | undefined
  readonly remarks?: string | null | undefined
  readonly site?: string | null | undefined
}

/** The request in the form in which it is sent, or all its problems. */
export type DepositCheck =
  | { readonly ok: true; readonly request: DepositRequest }
  | { readonly ok: false; readonly problems: readonly Problem[] }

const REMITTER_FIELDS = ['remitterName', 'remitterBankName', 'remitterBranchName'] as const

/**
 * Checks a simulated deposit, field by field. For JPY the amount must be in whole units, and the three remitter fields are converted to
 * half-width katakana. Source: payments-api.md, section 4.8.
 */
export function checkDeposit(request: DepositRequest): DepositCheck {
  const remitter = REMITTER_FIELDS.map((name) => remitterField(request, name))
  const { remarks } = request
  const problems = present([
    problem(accountProblem(request.accountNumber), ['accountNumber']),
    problem(amountProblem(request.amount), ['amount', 'value']),
    ...remitter.map((field) => field.problem),
    remarks == null ? null : textProblem(remarks, TEXT, ['remarks']),
  ])
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, request: { ...request, ...Object.fromEntries(remitter.map(({ name, value }) => [name, value])) } }
}

/** The payments API documents no format. 1 to 34 letters, digits and hyphens cover every account number in use. */
function accountProblem(accountNumber: string): string | null {
  return /^[0-9A-Za-z-]{1,34}$/.test(accountNumber) ? null : 'must have 1 to 34 letters, digits and hyphens'
}

type RemitterField = { readonly name: string; readonly value: string | null; readonly problem: Problem | null }

function remitterField({ amount, ...request }: DepositRequest, name: (typeof REMITTER_FIELDS)[number]): RemitterField {
  const value = request[name] ?? null
  if (value === null) return { name, value, problem: null }
  // The conversion never makes a text shorter, so a text that is too long need not be converted.
  if (amount.currency !== 'JPY' || value.length > TEXT.longest)
    return { name, value, problem: textProblem(value, TEXT, [name]) }
  const converted = toHalfWidthKatakana(value)
  if (converted.ok) return { name, value: converted.text, problem: textProblem(converted.text, TEXT, [name]) }
  // The character is payer data, so the message does not contain it.
  const message = `must be katakana or hiragana: the character at position ${converted.position} has no half-width form`
  return { name, value, problem: problem(message, [name]) }
}
