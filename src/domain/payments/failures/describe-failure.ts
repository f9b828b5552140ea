import {
  type DescribedFailure,
  type FailureCategory,
  type FailureCode,
  GENERIC_DECLINED,
  type PaymentRetryAdvice,
  recogniseFailure,
} from './failure-codes.ts'
import { textsFor } from './failure-messages.ts'

type FailureDescription = {
  readonly code: FailureCode
  readonly category: FailureCategory
  readonly retry: PaymentRetryAdvice
  /** ISO 8601 instant in UTC before which a retry is of no use; null if it makes sense immediately. */
  readonly retryNotBefore: string | null
  /** Returns a sentence for the payer in the language of a BCP 47 locale; English for a language without texts. */
  readonly customerMessage: (locale: string | null) => string
}

/**
 * Describes why a payment failed (docs/payments-api.md, section 7.2). `codeRaw` is the payments API's own code, `failedAt` an ISO 8601
 * instant. Unless the caller may see risk, codes of lost and stolen cards and of suspected fraud give the same description as a generic
 * decline. An unknown code gives UNRECOGNISED; never throws.
 */
export function describeFailure(input: {
  readonly codeRaw: string
  readonly failedAt: string
  readonly maySeeRisk: boolean
}): FailureDescription {
  const { code, category, retry, notBefore } = input.maySeeRisk
    ? recogniseFailure(input.codeRaw)
    : withoutRisk(recogniseFailure(input.codeRaw))
  return {
    code,
    category,
    retry,
    retryNotBefore: instantAfter(input.failedAt, notBefore),
    customerMessage: (locale) => customerMessage(code, locale),
  }
}

function withoutRisk(failure: DescribedFailure): DescribedFailure {
  return failure.masked === true ? GENERIC_DECLINED : failure
}

function instantAfter(instant: string, duration: number | undefined): string | null {
  const start = Date.parse(instant)
  return duration === undefined || Number.isNaN(start) ? null : new Date(start + duration).toISOString()
}

/**
 * Returns the message for a payer whose payment failed: what happened in plain words, and what to do next. It never mentions a suspicion,
 * not even to callers who may see risk. `locale` is a BCP 47 tag; English is used for a language without texts.
 */
export function customerMessage(code: FailureCode, locale: string | null): string {
  return textsFor(locale).failures[code]
}
