import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { honestHeaders, paymentBody } from '../support/webhooks.ts'

/** A WebSocket client that reads and never sends anything: not even an answer to a close frame. */
export type SilentPeer = {
  /** Returns the code of the close frame; null if none was received. */
  closeCode(): number | null
}

export function silentUpgrade(url: string): Promise<SilentPeer> {
  return new Promise((resolve, reject) => {
    const upgrading = request(`${url}/graphql`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        'sec-websocket-protocol': 'graphql-transport-ws',
      },
    })
    upgrading.once('error', reject)
    upgrading.once('response', ({ statusCode }) => reject(new Error(`The upgrade was answered with ${statusCode}.`)))
    upgrading.once('upgrade', (_response, socket, head) => {
      let received = head
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined)
      socket.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])))
      // A close frame: opcode, length, and a code of two bytes (RFC 6455, section 5.5.1).
      resolve({ closeCode: () => (received[0] === 0x88 ? received.readUInt16BE(2) : null) })
    })
    upgrading.end()
  })
}

export type HalfSentWebhook = {
  /** Resolves with the status of the answer. */
  readonly answered: Promise<number>
  /** Sends the rest of the body. */
  finish(): void
}

/** Sends a webhook's headers and the first half of its body, and waits until the server has accepted the request. */
export async function halfSentWebhook(url: string, uuid: string): Promise<HalfSentWebhook> {
  const body = paymentBody({ uuid })
  const sending = request(`${url}/webhooks/payments`, {
    method: 'POST',
    agent: false,
    headers: { ...honestHeaders(body), 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  })
  onTestFinished(() => void sending.destroy())
  const answered = new Promise<number>((resolve, reject) => {
    sending.once('response', (response) => resolve(response.resume().statusCode ?? 0))
    sending.once('error', reject)
  })
  // Tests that do not use the answer must not fail with an unhandled rejection.
  answered.catch(() => undefined)
  sending.flushHeaders()
  // With `100-continue` the server has accepted the request.
  await new Promise((resolve) => sending.once('continue', resolve))
  const middle = Math.floor(body.length / 2)
  sending.write(body.slice(0, middle))
  return { answered, finish: () => void sending.end(body.slice(middle)) }
}

/** Opens a connection that sends nothing but these bytes. */
export function silentConnection(url: string, bytes = ''): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.once('connect', () => socket.write(bytes, () => resolve(socket)))
    socket.on('error', reject)
  })
}
