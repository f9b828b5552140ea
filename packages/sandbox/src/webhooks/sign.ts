import { createHmac } from 'node:crypto'

/** Signs a webhook body as the payments API does: lower-case hex of HMAC-SHA256 over the raw bytes (docs/payments-api.md, section 6.3). */
export function sign(body: Uint8Array | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}
