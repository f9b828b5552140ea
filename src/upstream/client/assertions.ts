import { compareDecimals } from '../../domain/money/money.ts'
import { instantToWire } from '../wire/values/instant.ts'
import type { RequestBody } from '../wire/values/request-schema.ts'
import type { Echo } from '../wire/values/response-echo.ts'
import { usableMethodCode, usableUuid } from '../wire/values/wire-fields.ts'
import type { Site } from './sites.ts'
import { notSent, unknownOutcome } from './upstream-fault.ts'

/** The body that may be sent. Throws `not-sent` for one that is wrong, and names the places. */
export function sendable(written: RequestBody): Record<string, unknown> {
  if ('body' in written) return written.body
  throw notSent('invalid-request', `Wrong in it: ${written.faults.join(', ')}.`)
}

/** Throws `not-sent` unless the credentials of a site serve a currency: another account's money is never moved instead. */
export function requireServed(site: Site, currency: string): void {
  if (site.currencies.includes(currency)) return
  throw notSent('invalid-request', `Site ${site.id} does not serve the currency of the amount.`)
}

/** Throws `not-sent` for what is no uuid of the payments API: one with a slash in it would be another address. */
export function requireUuid(uuid: string): void {
  if (usableUuid(uuid) === null) throw notSent('invalid-request', 'The uuid is not one of the payments API.')
}

/** Throws `not-sent` for what cannot be a method code. */
export function requireMethodCode(code: string): void {
  if (usableMethodCode(code) === null)
    throw notSent('invalid-request', 'The method code is not one of the payments API.')
}

/** A span of time as a query, in whole seconds that hold all of it. Throws `not-sent` for one that does not run forwards. */
export function spanQuery({ from, to }: { from: Date; to: Date }): { from_date: string; to_date: string } {
  if (from.getTime() <= to.getTime()) return { from_date: instantToWire(from), to_date: instantToWire(to, true) }
  throw notSent('invalid-request', 'The span of time does not run forwards.')
}

/** What was read of an answer. Throws `unknown`, reason `misshapen`, when it could not be read. */
export function shaped<Value>(value: Value | null, httpStatus: number): Value {
  if (value === null) throw unknownOutcome('misshapen', httpStatus)
  return value
}

/** Throws `unknown`, reason `mismatch`, unless an answer is about what was asked for. */
export function requireMatch(matches: boolean, httpStatus: number): void {
  if (!matches) throw unknownOutcome('mismatch', httpStatus)
}

/** Whether an answer's currency is one that the site serves; an answer that names none may be. */
export function isServed(site: Site, currency: string | null): boolean {
  return currency === null || site.currencies.includes(currency)
}

/** Whether an answer tells the amount that was asked for, in whichever digits; one that tells none may. */
export function isAmount(asked: string | null, told: string | null): boolean {
  return asked === null || told === null || compareDecimals(asked, told) === 0
}

/** Whether nothing that an answer repeats of its request is another's: then it is another's answer, or another's money. */
export function repeats(echo: Echo, asked: { currency: string; amount: string | null; endpointUrl: string }): boolean {
  return (
    (echo.currency === null || echo.currency === asked.currency) &&
    (echo.endpointUrl === null || echo.endpointUrl === asked.endpointUrl) &&
    isAmount(asked.amount, echo.amount)
  )
}
