import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Header that carries the signature of a webhook, in the lower case that Node gives (docs/payments-api.md, section 6.3). */
export const SIGNATURE_HEADER = 'http-webhook-signature'

/** The same header as a CGI-style server would name it on the wire, where `HTTP_` is that server's own prefix (gap sheet, C19). */
export const SIGNATURE_HEADER_OF_CGI = 'webhook-signature'

const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i

/** Returns whether a header could be a signature at all, whatever body it belongs to. */
export function looksSigned(header: string | undefined): boolean {
  return SIGNATURE.test(header?.trim() ?? '')
}

/**
 * Returns whether `header` is the signature of exactly these bytes under any of the live secrets.
 *
 * Accepts 64 hex digits in either case, with white space around them and an optional `sha256=` before them (gap sheet,
 * C19). Every secret is tried, and each comparison takes constant time, so that neither the position of a wrong digit
 * nor the number of live secrets shows in the answer's delay.
 */
export function verify(
  body: Uint8Array,
  header: string | undefined,
  secrets: readonly (string | KeyObject)[],
): boolean {
  const digits = SIGNATURE.exec(header?.trim() ?? '')?.[1]
  if (digits === undefined) return false
  const given = Buffer.from(digits.toLowerCase(), 'latin1')
  let authentic = false
  for (const secret of secrets) {
    // As hexadecimal digits, which cost the engine less than a buffer of its own.
    const expected = createHmac('sha256', secret).update(body).digest('hex')
    if (timingSafeEqual(Buffer.from(expected, 'latin1'), given)) authentic = true
  }
  return authentic
}
