/**
 * Very many WebSockets in a separate process, which does not parse the frames that it only counts. The parent process sends the orders as
 * messages, one after another.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { monotonicMs } from '../clock.ts'
import { readFrames, writeFrame, Opcode } from './frames.ts'

export type Order =
  | {
      readonly kind: 'open'
      readonly url: string
      /** Topic of each socket: the id for `query`, or for a server without GraphQL the topic in the URL. */
      readonly topics: readonly string[]
      /** A subscription with the variable `id`, and the client's token; null for sockets that only receive. */
      readonly subscription: { readonly query: string; readonly authorization: string } | null
    }
  /** Starts to count frames from zero. */
  | { readonly kind: 'mark' }
  /** Replies after `frames` frames since the mark, or after `milliseconds`. */
  | { readonly kind: 'wait'; readonly frames: number; readonly milliseconds: number }
  /** Replies with the text of the last frame of the first socket. */
  | { readonly kind: 'sample' }
  /** Replies with the time of the last frame of each socket; 0 if there is none since the mark. */
  | { readonly kind: 'arrivals' }

/** Frames received since the mark. */
export type Received = {
  readonly frames: number
  /** Lowest and highest number of frames of one socket. */
  readonly fewest: number
  readonly most: number
  /** Time of the last frame in milliseconds of the system's monotonic clock (`monotonicMs`). */
  readonly lastAt: number
}

type Client = {
  readonly socket: Socket
  readonly topic: string
  readonly ready: () => void
  state: 'upgrading' | 'opening' | 'open'
  rest: Buffer | null
  frames: number
  lastAt: number
}

/** Number of sockets that are opened at a time. */
const UNDER_WAY = 64
const NEXT = Buffer.from('"type":"next"')
const PING = Buffer.from('"type":"ping"')
const HEADER_END = '\r\n\r\n'

let clients: Client[] = []
let subscription: (Order & { kind: 'open' })['subscription'] = null
let received = 0
let lastAt = 0
let wanted = Infinity
let arrived = () => {}
let last = ''
let fault: string | null = null
let failed: (error: Error) => void = () => {}

async function open({ url, topics, subscription: asked }: Order & { kind: 'open' }): Promise<number> {
  subscription = asked
  const before = clients.length
  const left = topics.entries()
  const openNext = async () => {
    for (const [index, topic] of left) clients[before + index] = await openOne(new URL(url), topic)
  }
  await Promise.all(Array.from({ length: UNDER_WAY }, openNext))
  return clients.length
}

function openOne({ hostname, port }: URL, topic: string): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const ready = () => resolve(client)
    const client: Client = { socket, topic, ready, state: 'upgrading', rest: null, frames: 0, lastAt: 0 }
    socket.on('error', reject)
    socket.on('close', () => {
      reject(new Error('A socket was closed before it was open.'))
      fail('A socket was closed.')
    })
    socket.on('data', (chunk) => {
      try {
        read(client, chunk)
      } catch (error) {
        reject(error)
        fail(String(error))
      }
    })
    const lines = [
      `GET /graphql?topic=${topic} HTTP/1.1`,
      'host: 127.0.0.1',
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
      'sec-websocket-protocol: graphql-transport-ws',
    ]
    socket.write(`${lines.join('\r\n')}${HEADER_END}`)
  })
}

function read(client: Client, chunk: Buffer): void {
  const data = client.rest === null ? chunk : Buffer.concat([client.rest, chunk])
  client.rest = null
  const begin = client.state === 'upgrading' ? readUpgrade(client, data) : 0
  if (begin === null) {
    client.rest = data
    return
  }
  const end = readFrames(data, begin, (opcode, from, to) => take(client, opcode, data.subarray(from, to)))
  if (end < data.length) client.rest = data.subarray(end)
}

/** Returns the offset of the first frame; null if the response is incomplete. Throws if the server refuses the upgrade. */
function readUpgrade(client: Client, data: Buffer): number | null {
  const end = data.indexOf(HEADER_END)
  if (end === -1) return null
  if (!data.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101')))
    throw new Error(`A socket was refused: ${data.toString().slice(0, 300)}`)
  client.state = subscription === null ? 'open' : 'opening'
  if (subscription === null) client.ready()
  else send(client, { type: 'connection_init', payload: { authorization: subscription.authorization } })
  return end + HEADER_END.length
}

function take(client: Client, opcode: number, payload: Buffer): void {
  if (opcode === Opcode.ping) client.socket.write(writeFrame(Opcode.pong, payload))
  else if (opcode === Opcode.close) throw new Error(`A socket was closed: ${payload.toString('utf8', 2)}`)
  else if (opcode === Opcode.text && client.state === 'opening') proceed(client, payload)
  else if (opcode === Opcode.text) count(client, payload)
}

/** Handles a message of a subscription that has not caught up yet. When it has, its socket counts as open. */
function proceed(client: Client, payload: Buffer): void {
  const text = payload.toString()
  const { type } = JSON.parse(text) as { type: string }
  const { query } = subscription ?? {}
  if (type === 'ping') send(client, { type: 'pong' })
  else if (type === 'connection_ack')
    send(client, { id: randomUUID(), type: 'subscribe', payload: { query, variables: { id: client.topic } } })
  else if (type !== 'next' || text.includes('"errors"')) throw new Error(`A subscription failed: ${text}`)
  else if (text.includes('"CAUGHT_UP"')) {
    client.state = 'open'
    client.ready()
  }
}

function count(client: Client, payload: Buffer): void {
  if (subscription !== null && !payload.subarray(0, 100).includes(NEXT)) {
    if (!payload.includes(PING)) throw new Error(`A message is no event: ${payload.toString()}`)
    send(client, { type: 'pong' })
    return
  }
  lastAt = monotonicMs()
  client.frames += 1
  client.lastAt = lastAt
  if (client === clients[0]) last = payload.toString()
  received += 1
  if (received === wanted) arrived()
}

function send({ socket }: Client, message: unknown): void {
  socket.write(writeFrame(Opcode.text, Buffer.from(JSON.stringify(message))))
}

function mark(): void {
  received = 0
  for (const client of clients) {
    client.frames = 0
    client.lastAt = 0
  }
}

async function wait({ frames, milliseconds }: Order & { kind: 'wait' }): Promise<Received> {
  wanted = frames
  if (received < wanted)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds)
      failed = reject
      arrived = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  wanted = Infinity
  const counts = clients.map((client) => client.frames)
  const bounds = counts.reduce(
    (sum, each) => ({ fewest: Math.min(sum.fewest, each), most: Math.max(sum.most, each) }),
    {
      fewest: Infinity,
      most: 0,
    },
  )
  return { frames: received, ...bounds, lastAt }
}

function fail(message: string): void {
  fault ??= message
  failed(new Error(message))
}

async function carryOut(order: Order): Promise<unknown> {
  if (fault !== null) throw new Error(fault)
  if (order.kind === 'open') return open(order)
  if (order.kind === 'wait') return wait(order)
  if (order.kind === 'sample') return last
  if (order.kind === 'arrivals') return clients.map((client) => client.lastAt)
  return mark()
}

if (process.send !== undefined) {
  process.on('message', (order: Order) => {
    carryOut(order).then(
      (reply) => process.send?.({ reply }),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
  process.on('disconnect', () => process.exit())
  process.send({ reply: null })
}
