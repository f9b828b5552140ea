import { sign } from 'payments-subgraph-sandbox'
import { SECRETS } from '../support/network.ts'

export type RawWebhook = {
  readonly body: string
  readonly line?: string
  /** Replaces the Content-Length. */
  readonly headers?: readonly string[]
  /** What is sent in place of the body, for example its chunks. */
  readonly wire?: string
}

/** Returns a signed webhook as bytes on the wire, without any correction. */
export function rawWebhook({
  body,
  line = 'POST /webhooks/payments HTTP/1.1',
  headers,
  wire = body,
}: RawWebhook): string {
  const told = headers ?? [`Content-Length: ${Buffer.byteLength(body)}`]
  const signature = `HTTP-WEBHOOK-SIGNATURE: ${sign(body, SECRETS.webhook)}`
  return [line, 'Host: localhost', 'Content-Type: application/json', signature, ...told, '', wire].join('\r\n')
}

/** A request after which the server closes the connection. It is not answered if the one before it was not complete. */
export const LAST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

/** Returns a body as one chunk and the last chunk. */
export function oneChunk(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}
