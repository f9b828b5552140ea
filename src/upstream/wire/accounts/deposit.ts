import { z } from 'zod'
import { type RequestBody, requestBody, boundedText } from '../values/request-schema.ts'

/** A deposit to simulate in the sandbox (docs/payments-api.md, section 4.8). */
export type DepositSimulation = {
  /** The treasury account to credit. */
  readonly accountNumber: string
  /** Plain digits; whole units for a JPY account. */
  readonly amount: string
  /** The three remitter fields: half-width katakana for a JPY account. */
  readonly remitterName?: string | null | undefined
  readonly remitterBankName?: string | null | undefined
  readonly remitterBranchName?: string | null | undefined
  readonly remarks?: string | null | undefined
}

const own = boundedText(255)

const deposit = z.strictObject({
  account_number: own,
  amount: z
    .string()
    .max(30)
    .regex(/^(?:0|[1-9]\d*)(?:\.\d+)?$/),
  remitter_name: own.optional(),
  remitter_bank_name: own.optional(),
  remitter_branch_name: own.optional(),
  remarks: own.optional(),
})

/** Builds the body of a deposit, whose amount is a JSON string; `faults` names the invalid fields. Never throws. */
export function toDepositBody(request: DepositSimulation): RequestBody {
  return requestBody(deposit, {
    account_number: request.accountNumber,
    amount: request.amount,
    remitter_name: request.remitterName,
    remitter_bank_name: request.remitterBankName,
    remitter_branch_name: request.remitterBranchName,
    remarks: request.remarks,
  })
}
