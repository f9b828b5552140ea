import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** A WebSocket client that can send any bytes, over a separate connection. */
export type RawPeer = {
  /** Writes bytes to the socket. Returns false if its buffer is full. */
  write(bytes: Buffer): boolean
  /** Sends a message of the protocol in one frame. */
  say(message: unknown): void
  /** Returns the next frame from the server that is neither a ping nor a close frame. Rejects if the connection ends first. */
  next(): Promise<Frame>
  /** Code of the server's close frame; null if the connection ended without one. */
  readonly closed: Promise<number | null>
  /** Resolves when the connection itself has ended. */
  readonly ended: Promise<void>
  readonly connection: Socket
}

export type Frame = { readonly opcode: number; readonly payload: Buffer }

export const OPCODE = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const

/** Properties of a frame besides its opcode and payload. The defaults are those of a valid client. */
export type FrameOptions = {
  readonly fin?: boolean
  /** The three reserved bits after FIN: 4, 2 and 1. */
  readonly reserved?: number
  readonly masked?: boolean
  /** Declared length, if it differs from that of the payload. */
  readonly declared?: bigint
}

/** Returns one frame (RFC 6455, section 5.2). */
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

/** Returns a close frame with a code. */
export function closeFrame(code: number, reason: Buffer | string = ''): Buffer {
  const head = Buffer.alloc(2)
  head.writeUInt16BE(code)
  return frame(OPCODE.close, Buffer.concat([head, Buffer.from(reason)]))
}

export type RawPeerOptions = {
  readonly path?: string
  /** Further header lines of the request. They may repeat, and replace the usual ones of the same name. */
  readonly headers?: readonly (readonly [string, string])[]
}

/** Connects and upgrades. Rejects with the `status` of the answer if the server does not upgrade. */
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

/** Opens a peer and sends `connection_init`. Returns the peer after `connection_ack`; throws on another answer. */
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
      // The server closes connections that do not answer pings; another test covers this.
      if (taken.opcode === OPCODE.ping) connection.write(frame(OPCODE.pong, taken.payload))
      else if (taken.opcode === OPCODE.close) onClosed(taken.payload.length < 2 ? 1005 : taken.payload.readUInt16BE(0))
      else {
        const taker = takers.shift()
        if (taker === undefined) waiting.push(taken)
        else taker.resolve(taken)
      }
    }
  }
  // If the server closes while this client still sends, the connection is reset. This counts as an end like any other.
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

/** Returns the first frame of the received bytes, and its length in bytes; null if it is incomplete. */
function takeFrame(bytes: Buffer): (Frame & { readonly size: number }) | null {
  if (bytes.length < 2) return null
  const short = (bytes[1] ?? 0) & 0x7f
  const head = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < head) return null
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (bytes.length < head + length) return null
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(head, head + length), size: head + length }
}
