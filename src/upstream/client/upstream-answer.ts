import { type ExactJson, parseExactJson } from '../../lib/exact-json.ts'
import type { RawAnswer } from './exchange.ts'
import { fromResponse, unknownOutcome } from './upstream-fault.ts'

export type UpstreamResponse = {
  /** 200 to 299. */
  readonly status: number
  readonly json: ExactJson
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
    return { status, json: parseExactJson(text) }
  } catch {
    throw unknownOutcome('not-json', status)
  }
}

function textOrNull(body: RawAnswer['body']): string | null {
  if (typeof body === 'string') return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return null
  }
}
