import { z } from 'zod'
import type { ExactJson } from '../../../lib/exact-json.ts'
import { readEndpointUrl } from '../payments/wire-payment.ts'
import { currency, decimal, isRecord } from './wire-fields.ts'

/** The request fields that the answer to a creation repeats; null for those it does not. */
export type Echo = {
  readonly currency: string | null
  /** Plain digits. */
  readonly amount: string | null
  readonly endpointUrl: string | null
}

const echo = z.object({ currency, amount: decimal })

/** Reads the repeated request fields of an answer, so that the answer to another request is detected. Never throws. */
export function readEcho(json: ExactJson): Echo {
  return { ...echo.parse(isRecord(json) ? json : {}), endpointUrl: readEndpointUrl(json) }
}
