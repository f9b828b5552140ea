import { type ExactJson, parseExactJson } from '../../lib/exact-json.ts'
import type { RawAnswer } from './exchange.ts'
import { fromResponse, unknownOutcome } from './upstream-fault.ts'

export type UpstreamResponse = {
  /** 200 to 299. */
  readonly status: number
  readonly json: ExactJson
  /** The payments API's clock when it answered, from the `Date` header in whole seconds; null without a readable one. */
  readonly answeredAt: Date | null
}

/**
 * Reads a response with a 2xx status: its JSON, in strict UTF-8 and with exact numbers. Throws an `UpstreamFault` for any other
 * status, and for an unreadable success, whose outcome is then unknown.
 */
export function readAnswer({ status, headers, body }: RawAnswer, site: string): UpstreamResponse {
  if (status < 200 || status > 299) throw fromResponse(status, headers, textOrNull(body), { site })
  if (typeof body === 'string') throw unknownOutcome(body, status)
  if (body.byteLength === 0) throw unknownOutcome('empty', status)
  const text = textOrNull(body)
  if (text === null) throw unknownOutcome('not-utf8', status)
  try {
    return { status, json: parseExactJson(text), answeredAt: dateFrom(headers['date']) }
  } catch {
    throw unknownOutcome('not-json', status)
  }
}

/** Reads an HTTP date (RFC 9110, section 5.6.7). */
function dateFrom(header: string | string[] | undefined): Date | null {
  const date = typeof header === 'string' ? new Date(header) : null
  return date === null || Number.isNaN(date.getTime()) ? null : date
}

function textOrNull(body: RawAnswer['body']): string | null {
  if (typeof body === 'string') return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return null
  }
}
