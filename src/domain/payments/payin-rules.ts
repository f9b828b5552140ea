import {
  emailProblem,
  present,
  problem,
  TEXT,
  textProblem,
  type Problem,
  type TextRange,
  keyProblem,
} from '../field-problems.ts'
import type { MethodRequirements } from '../methods/method-field.ts'
import { limitProblem, methodFieldProblems, methodProblem } from '../methods/method-rules.ts'
import { amountProblem, type Money } from '../money/money.ts'

/** A request for a direct payin. */
export type PayinRequest = {
  readonly idempotencyKey: string
  readonly reference: string
  readonly amount: Money
  readonly methodCode: string
  readonly customerName: string
  readonly customerEmail: string
  readonly description?: string | null | undefined
  readonly methodFields?: Readonly<Record<string, unknown>> | null | undefined
  readonly gst: boolean
  readonly ownerId?: string | null | undefined
  readonly site?: string | null | undefined
}

/**
 * Returns all problems of a request for a direct payin, field by field; empty if it may be sent. The requirements of the method are checked
 * as far as they are known; otherwise the payments API checks them. Source: payments-api.md, section 1, rule 3, and gap sheet, sections 8
 * and 9.
 */
export function payinRequestProblems(request: PayinRequest, requirements: MethodRequirements | null): Problem[] {
  const { amount, description, ownerId } = request
  return present([
    keyProblem(request.idempotencyKey),
    textProblem(request.reference, TEXT, ['reference']),
    problem(amountProblem(amount) ?? limitProblem(amount, requirements), ['amount', 'value']),
    problem(methodProblem(request.methodCode, amount.currency, requirements), ['methodCode']),
    textProblem(request.customerName, TEXT, ['customerName']),
    problem(emailProblem(request.customerEmail), ['customerEmail']),
    description == null ? null : textProblem(description, DESCRIPTION, ['description']),
    ...methodFieldProblems(request.methodFields ?? {}, requirements, ['methodFields']),
    request.gst && amount.currency !== 'AUD' ? problem('must be false outside AUD', ['gst']) : null,
    ownerId == null ? null : textProblem(ownerId, TEXT, ['ownerId']),
  ])
}

const DESCRIPTION: TextRange = { longest: 500 }
