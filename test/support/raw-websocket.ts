import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** A client of a WebSocket that may send any bytes at all, over a connection of its own. */
export type RawPeer = {
  /** Hands bytes to the system; false when it takes no more for now. */
  write(bytes: Buffer): boolean
  /** Sends a message of the protocol in one frame. */
  say(message: unknown): void
  /** The next frame from the server that is neither a ping nor a close frame; rejects when the connection ends before one comes. */
  next(): Promise<Frame>
  /** The code of the server's close frame; null when the connection ended without one. */
  readonly closed: Promise<number | null>
  /** Resolves when the connection itself has ended. */
  readonly ended: Promise<void>
  readonly connection: Socket
}

export type Frame = { readonly opcode: number; readonly payload: Buffer }

export const OPCODE = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const

/** What a frame may be beyond its kind and payload; by default it is as a client's has to be. */
export type FrameOptions = {
  readonly fin?: boolean
  /** The reserved bits, as the three that follow FIN: 4, 2 and 1. */
  readonly reserved?: number
  readonly masked?: boolean
  /** The length that is declared, when it is another than the payload's. */
  readonly declared?: bigint
}

/** One frame (RFC 6455, section 5.2). */
export function frame(opcode: number, payload: Buffer | string = '', options: FrameOptions = {}): Buffer {
  const { fin = true, reserved = 0, masked = true, declared } = options
  const data = Buffer.from(payload)
  const head = lengthHead(declared ?? BigInt(data.length))
  head[0] = (fin ? 0x80 : 0) | (reserved << 4) | opcode
  if (!masked) return Buffer.concat([head, data])
  head[1] = (head[1] ?? 0) | 0x80
  const mask = randomBytes(4)
  return Buffer.concat([head, mask, data.map((byte, index) => byte ^ (mask[index % 4] ?? 0))])
}

export function textFrame(message: unknown): Buffer {
  return frame(OPCODE.text, typeof message === 'string' ? message : JSON.stringify(message))
}

/** A close frame with a code. */
export function closeFrame(code: number, reason: Buffer | string = ''): Buffer {
  const head = Buffer.alloc(2)
  head.writeUInt16BE(code)
  return frame(OPCODE.close, Buffer.concat([head, Buffer.from(reason)]))
}

export type RawPeerOptions = {
  readonly path?: string
  /** Lines of the request's head besides the usual ones; they may repeat. */
  readonly headers?: readonly (readonly [string, string])[]
}

/** Connects and upgrades; rejects with the status of an answer that is no upgrade. */
export async function openRawPeer(
  url: string,
  { path = '/graphql', headers = [] }: RawPeerOptions = {},
): Promise<RawPeer> {
  const { hostname, port, host } = new URL(url)
  const connection = connect({ host: hostname, port: Number(port) })
  const usual = [
    ['Host', host],
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', randomBytes(16).toString('base64')],
    ['Sec-WebSocket-Protocol', 'graphql-transport-ws'],
  ].filter(([name]) => !headers.some(([given]) => given === name))
  const lines = [...usual, ...headers].map(([name, value]) => `${name}: ${value}`)
  connection.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  const { status, rest } = await readHead(connection)
  if (status === 101) return peerOn(connection, rest)
  connection.destroy()
  throw Object.assign(new Error(`The server answered the upgrade with ${status}.`), { status })
}

/** Opens a peer and greets the server; gives it once the server has greeted back. */
export async function greetedRawPeer(url: string, payload: Record<string, unknown> = {}): Promise<RawPeer> {
  const peer = await openRawPeer(url)
  peer.say({ type: 'connection_init', payload })
  const { payload: answer } = await peer.next()
  if (!answer.includes('connection_ack')) throw new Error(`The server answered the greeting with ${String(answer)}.`)
  return peer
}

function lengthHead(length: bigint): Buffer {
  if (length < 126n) return Buffer.from([0, Number(length)])
  if (length < 65_536n) {
    const head = Buffer.from([0, 126, 0, 0])
    head.writeUInt16BE(Number(length), 2)
    return head
  }
  const head = Buffer.concat([Buffer.from([0, 127]), Buffer.alloc(8)])
  head.writeBigUInt64BE(length, 2)
  return head
}

function readHead(connection: Socket): Promise<{ status: number; rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0)
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk])
      const end = seen.indexOf('\r\n\r\n')
      if (end === -1) return
      connection.off('data', onData)
      connection.pause()
      resolve({
        status: Number(/^HTTP\/1\.1 (\d{3})/.exec(seen.toString('latin1'))?.[1]),
        rest: seen.subarray(end + 4),
      })
    }
    connection.on('data', onData)
    connection.once('error', reject)
    connection.once('close', () => reject(new Error('The connection ended before the answer.')))
  })
}

function peerOn(connection: Socket, rest: Buffer): RawPeer {
  const waiting: Frame[] = []
  const takers: PromiseWithResolvers<Frame>[] = []
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<number | null>()
  const { promise: ended, resolve: onEnded } = Promise.withResolvers<void>()
  let buffered = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    for (let taken = takeFrame(buffered); taken !== null; taken = takeFrame(buffered)) {
      buffered = buffered.subarray(taken.size)
      // Who answers no ping is cut, and that is another test's matter.
      if (taken.opcode === OPCODE.ping) connection.write(frame(OPCODE.pong, taken.payload))
      else if (taken.opcode === OPCODE.close) onClosed(taken.payload.length < 2 ? 1005 : taken.payload.readUInt16BE(0))
      else {
        const taker = takers.shift()
        if (taker === undefined) waiting.push(taken)
        else taker.resolve(taken)
      }
    }
  }
  // A server that closes while we are still sending resets the connection: that is an end like any other.
  connection.on('error', () => {})
  connection.once('close', () => {
    onClosed(null)
    onEnded()
    for (const taker of takers) taker.reject(new Error('The connection has ended.'))
  })
  connection.on('data', onData)
  if (rest.length > 0) onData(rest)
  connection.resume()
  return {
    write: (bytes) => connection.write(bytes),
    say: (message) => void connection.write(textFrame(message)),
    next: () => {
      const known = waiting.shift()
      if (known !== undefined) return Promise.resolve(known)
      const taker = Promise.withResolvers<Frame>()
      takers.push(taker)
      return taker.promise
    },
    closed,
    ended,
    connection,
  }
}

/** The first frame of what a server sent, and how many bytes it takes; null while it is not complete. */
function takeFrame(bytes: Buffer): (Frame & { readonly size: number }) | null {
  if (bytes.length < 2) return null
  const short = (bytes[1] ?? 0) & 0x7f
  const head = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < head) return null
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (bytes.length < head + length) return null
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(head, head + length), size: head + length }
}
