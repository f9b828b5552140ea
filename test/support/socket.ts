import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { WebSocket, type ClientOptions } from 'ws'

export type Message = { readonly type: string; readonly id?: string; readonly payload?: unknown }

/** A socket without a client library, for messages that the library never sends. */
export type RawSocket = {
  send(message: Record<string, unknown>): void
  /** Returns the next message of any type. Rejects if the socket closes first. */
  next(): Promise<Message>
  /** Messages that were received and not yet returned by `next`. */
  readonly waiting: readonly Message[]
  readonly closed: Promise<{ code: number; reason: string }>
  close(): void
}

export type RawSocketOptions = { readonly headers?: Record<string, string>; readonly protocol?: string }

/** Opens a socket. Rejects with `UpgradeRefused` if the server does not upgrade. */
export async function openSocket(url: string, options: RawSocketOptions = {}): Promise<RawSocket> {
  const socket = connect(url, options)
  const waiting: Message[] = []
  const takers: { resolve: (message: Message) => void; reject: (error: Error) => void }[] = []
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<{ code: number; reason: string }>()
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    const taker = takers.shift()
    if (taker === undefined) waiting.push(message)
    else taker.resolve(message)
  })
  socket.on('close', (code, reason) => {
    onClosed({ code, reason: reason.toString() })
    for (const taker of takers) taker.reject(new Error(`The socket closed with ${code}.`))
  })
  await opened(socket)
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    next: () => {
      const message = waiting.shift()
      if (message !== undefined) return Promise.resolve(message)
      return new Promise((resolve, reject) => takers.push({ resolve, reject }))
    },
    waiting,
    closed,
    close: () => socket.close(),
  }
}

/** Opens a socket and sends `connection_init`. Returns the socket after `connection_ack`; throws on another answer. */
export async function greetedSocket(
  url: string,
  payload: Record<string, unknown> = {},
  options: RawSocketOptions = {},
): Promise<RawSocket> {
  const socket = await openSocket(url, options)
  socket.send({ type: 'connection_init', payload })
  const { type } = await socket.next()
  if (type !== 'connection_ack') throw new Error(`The server answered the greeting with ${type}.`)
  return socket
}

/** Returns the code with which the server closes a socket of some subprotocol, without a client library that could reject the handshake. */
export function closeCodeOf(url: string, protocol?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const upgrading = request(`${url}/graphql`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }),
      },
    })
    upgrading.on('error', reject)
    upgrading.on('response', ({ statusCode }) => reject(new UpgradeRefused(statusCode ?? 0)))
    upgrading.on('upgrade', (_response, socket, head) => {
      // A close frame: its opcode, its length, and a code of two bytes (RFC 6455, section 5.5.1).
      const onFrame = (frame: Buffer) => {
        socket.destroy()
        if (frame[0] === 0x88) resolve(frame.readUInt16BE(2))
        else reject(new Error('The server sent something else than a close frame.'))
      }
      socket.on('error', reject)
      if (head.length > 0) onFrame(head)
      else socket.once('data', onFrame)
    })
    upgrading.end()
  })
}

/** Thrown if the server answers the upgrade with another status. */
class UpgradeRefused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The server answered the upgrade with ${status}.`)
    this.status = status
  }
}

function connect(url: string, { headers = {}, protocol = 'graphql-transport-ws' }: RawSocketOptions): WebSocket {
  const options: ClientOptions = { headers }
  return new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, protocol, options)
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
    socket.once('unexpected-response', (_request, response) => {
      response.resume()
      reject(new UpgradeRefused(response.statusCode ?? 0))
    })
  })
}
