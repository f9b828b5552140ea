import { z } from 'zod'
import type { ExactJson } from '../../../lib/exact-json.ts'
import { readEndpointUrl } from '../payments/wire-payment.ts'
import { currency, decimal, isRecord } from './wire-fields.ts'

/** What the answer to a creation repeats of its request; null where it does not. */
export type Echo = {
  readonly currency: string | null
  /** Plain digits. */
  readonly amount: string | null
  readonly endpointUrl: string | null
}

const echo = z.object({ currency, amount: decimal })

/** Reads what an answer repeats of its request, so that it can be told from the answer to another. Throws nothing. */
export function readEcho(json: ExactJson): Echo {
  return { ...echo.parse(isRecord(json) ? json : {}), endpointUrl: readEndpointUrl(json) }
}
