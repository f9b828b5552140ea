import { sign } from '../../src/webhooks/signature.ts'
import { SECRETS } from '../support/network.ts'

export type RawWebhook = {
  readonly body: string
  readonly line?: string
  /** Instead of the length. */
  readonly headers?: readonly string[]
  /** What is sent in place of the body, such as its chunks. */
  readonly wire?: string
}

/** A signed webhook as bytes on the wire, with nothing put right. */
export function rawWebhook({
  body,
  line = 'POST /webhooks/payments HTTP/1.1',
  headers,
  wire = body,
}: RawWebhook): string {
  const told = headers ?? [`Content-Length: ${Buffer.byteLength(body)}`]
  const signature = `HTTP-WEBHOOK-SIGNATURE: ${sign(body, SECRETS.webhook)}`
  return [line, 'Host: payments.example.test', 'Content-Type: application/json', signature, ...told, '', wire].join(
    '\r\n',
  )
}

/** A request after which the server closes the connection: what came before it was whole, or it is not answered. */
export const LAST = 'GET /health/live HTTP/1.1\r\nHost: payments.example.test\r\nConnection: close\r\n\r\n'

/** A body as one chunk and an end. */
export function oneChunk(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}
