import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { frame, greetedRawPeer, OPCODE, openRawPeer, textFrame } from '../support/raw-websocket.ts'

/** What an attacker sends repeatedly, before or after `connection_init`. */
type Attack = {
  readonly name: string
  readonly greeted: boolean
  /** Sent once, before the rest. */
  readonly first?: Buffer
  /** Returns the next bytes of the flood; different each time if ids must differ. */
  next(): Buffer
  /** Milliseconds between two of them. Default: as fast as the system accepts them. */
  readonly everyMs?: number
  /** The close codes that are allowed; null where the connection may end without one, since the attacker does not read. */
  readonly codes: readonly (number | null)[]
}

const many = (count: number, make: () => Buffer) => Buffer.concat(Array.from({ length: count }, make))
let lastId = 0
const subscribe = (query: string) => {
  const id = String(++lastId)
  return { id, bytes: textFrame({ id, type: 'subscribe', payload: { query } }) }
}
const FOLLOW = 'subscription { paymentEventStream { kind cursor } }'
const always = (bytes: Buffer) => () => bytes

const PING_MESSAGES = always(many(100, () => textFrame({ type: 'ping' })))
const LARGE_PINGS = always(textFrame({ type: 'ping', payload: { text: 'x'.repeat(60_000) } }))
const PING_FRAMES = always(many(500, () => frame(OPCODE.ping, 'x'.repeat(125))))
const PONG_FRAMES = always(many(500, () => frame(OPCODE.pong)))
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')

const ATTACKS: readonly Attack[] = [
  { name: 'pings before the greeting', greeted: false, next: PING_MESSAGES, codes: [4429] },
  { name: 'large pings before the greeting', greeted: false, next: LARGE_PINGS, codes: [4429, 4408] },
  { name: 'pings of WebSocket before the greeting', greeted: false, next: PING_FRAMES, codes: [4429, null] },
  { name: 'pings', greeted: true, next: PING_MESSAGES, codes: [4429] },
  { name: 'large pings', greeted: true, next: LARGE_PINGS, codes: [4429] },
  { name: 'pings of WebSocket', greeted: true, next: PING_FRAMES, codes: [4429, null] },
  { name: 'pongs of WebSocket', greeted: true, next: PONG_FRAMES, codes: [4429] },
  {
    name: 'ends of operations that there are not',
    greeted: true,
    next: always(many(100, () => textFrame({ id: 'none', type: 'complete' }))),
    codes: [4429],
  },
  {
    name: 'fragments without end',
    greeted: true,
    first: frame(OPCODE.text, '{', { fin: false }),
    next: always(many(500, () => frame(OPCODE.continuation, '', { fin: false }))),
    codes: [1008],
  },
  {
    name: 'a message of 100 MiB',
    greeted: true,
    first: frame(OPCODE.text, '', { declared: 100n * 1024n * 1024n }),
    next: always(MEGABYTE),
    codes: [1009],
  },
  {
    name: 'a message of 100 MiB in fragments of 64 KiB',
    greeted: true,
    first: frame(OPCODE.text, '', { fin: false }),
    next: always(frame(OPCODE.continuation, MEGABYTE.subarray(0, 64 * 1024), { fin: false })),
    codes: [1009],
  },
  {
    name: '5,000 questions at once',
    greeted: true,
    next: () => many(500, () => subscribe('{ paymentCurrencies { code } }').bytes),
    codes: [4429],
  },
  { name: '5,000 streams at once', greeted: true, next: () => many(500, () => subscribe(FOLLOW).bytes), codes: [4429] },
  {
    name: 'streams that are begun and ended a thousand times a second',
    greeted: true,
    everyMs: 10,
    next: () =>
      many(10, () => {
        const { id, bytes } = subscribe(FOLLOW)
        return Buffer.concat([bytes, textFrame({ id, type: 'complete' })])
      }),
    codes: [4429],
  },
]

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

/** Sends until the server sends a close frame, or has ended the connection. Returns the code of the close frame. */
async function attack({ greeted, first, next, everyMs }: Attack): Promise<number | null> {
  const { url } = network.app
  const peer = await (greeted ? greetedRawPeer(url, { token: await network.token() }) : openRawPeer(url))
  let over = false
  const end = peer.closed.then(() => (over = true))
  if (first !== undefined) peer.write(first)
  while (!over) {
    if (!peer.write(next())) await Promise.race([once(peer.connection, 'drain').catch(() => null), end])
    // The attack's own pace; without one the loop yields once, so that incoming frames are read.
    await sleep(everyMs ?? 0)
  }
  peer.connection.destroy()
  return peer.closed
}

it.each(ATTACKS)('$name: cut, and others are answered', async (given) => {
  expect(given.codes).toContain(await attack(given))
  expect((await network.ask('{ paymentCurrencies { code } }')).status).toBe(200)
})
