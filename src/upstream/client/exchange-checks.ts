import { compareDecimals, mayBeRecordedAs } from '../../domain/money/money.ts'
import { notSent, unknownOutcome } from '../upstream-fault.ts'
import { instantToWire, usableMethodCode, usableUuid } from '../wire/values/readers.ts'
import type { Echo, RequestBody } from '../wire/values/wire-fields.ts'
import type { Site } from './sites.ts'

/** Returns the body to send. Throws `not-sent` for an invalid body, naming the invalid fields. */
export function sendable(written: RequestBody): Record<string, unknown> {
  if ('body' in written) return written.body
  throw notSent('invalid-request', `Wrong in it: ${written.faults.join(', ')}.`)
}

/** Throws `not-sent` unless the site serves the currency: another account's money is never used instead. */
export function requireServed(site: Site, currency: string): void {
  if (site.currencies.includes(currency)) return
  throw notSent('invalid-request', `Site ${site.id} does not serve the currency of the amount.`)
}

/** Throws `not-sent` unless the text has the form of a payments API uuid: a slash in it would change the URL. */
export function requireUuid(uuid: string): void {
  if (usableUuid(uuid) === null) throw notSent('invalid-request', 'The uuid is not one of the payments API.')
}

/** Throws `not-sent` for a text that cannot be a method code. */
export function requireMethodCode(code: string): void {
  if (usableMethodCode(code) === null)
    throw notSent('invalid-request', 'The method code is not one of the payments API.')
}

/** Returns an interval as query parameters in whole seconds, rounded outwards. Throws `not-sent` if it ends before it begins. */
export function spanQuery({ from, to }: { from: Date; to: Date }): { from_date: string; to_date: string } {
  if (from.getTime() <= to.getTime()) return { from_date: instantToWire(from), to_date: instantToWire(to, true) }
  throw notSent('invalid-request', 'The span of time does not run forwards.')
}

/** Returns the value read from an answer. Throws `unknown`, reason `misshapen`, if it is null. */
export function shaped<Value>(value: Value | null, httpStatus: number): Value {
  if (value === null) throw unknownOutcome('misshapen', httpStatus)
  return value
}

/** Throws `unknown`, reason `mismatch`, unless the answer is about what was requested. */
export function requireMatch(matches: boolean, httpStatus: number): void {
  if (!matches) throw unknownOutcome('mismatch', httpStatus)
}

/** Returns whether the site serves the currency of an answer; true if the answer names none. */
export function isServed(site: Site, currency: string | null): boolean {
  return currency === null || site.currencies.includes(currency)
}

/** Returns whether an answer has the requested amount, compared by value; true if the answer names none. */
export function isAmount(sent: string | null, received: string | null): boolean {
  return sent === null || received === null || compareDecimals(sent, received) === 0
}

/** Returns whether everything that an answer repeats is what was asked for. If not, the answer belongs to another request. */
export function repeats(echo: Echo, asked: { currency: string; amount: string | null; endpointUrl: string }): boolean {
  return (
    (echo.currency === null || echo.currency === asked.currency) &&
    (echo.endpointUrl === null || echo.endpointUrl === asked.endpointUrl) &&
    (asked.amount === null ||
      echo.amount === null ||
      mayBeRecordedAs({ value: asked.amount, currency: asked.currency }, echo.amount))
  )
}
