import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../faults/random.ts'
import { oneOf } from '../random-operation.ts'
import { IN_FLIGHT, ROUTER_SECRET, type FuzzedServer } from './fuzzed-server.ts'
import { connected } from './perform.ts'
import { writeRequest, type RequestParts } from './write-request.ts'

/** Many connections at once that do the same. */
export type Crowd = {
  readonly name: string
  /** What each of them sends, whether or not it is taken. */
  readonly bytes: Buffer
  /** Whether they take what they are sent. */
  readonly reads: boolean
}

/** More connections than requests may be under way. */
const COUNT = IN_FLIGHT + 2
/** Answers that are asked for in a row: together they are more than a system keeps for a peer that does not read. */
const IN_A_ROW = 20
/** How long what has been sent is under way at least, in milliseconds. */
const UNDER_WAY_MS = 200

const JSON_TYPE = ['Content-Type', 'application/json'] as const
/** Without it the address of streams answers at once. */
const ANY = ['Accept', 'application/json, text/event-stream'] as const
const BODY = Buffer.from(JSON.stringify({ query: '{ __typename }' }))
/** The largest answer for the least work: a megabyte, which the router alone may have. */
const LARGE = Buffer.from(
  JSON.stringify({ query: `{ ${Array.from({ length: 9 }, (_, index) => `a${index}: _service { sdl }`).join(' ')} }` }),
)

const post = (over: Partial<RequestParts>): RequestParts => ({
  method: 'POST',
  path: '/graphql',
  headers: [JSON_TYPE, ANY],
  body: BODY,
  ...over,
})

const NEVER_READS = {
  name: 'asks in a row and never reads',
  make: () =>
    Buffer.concat(
      Array.from({ length: IN_A_ROW }, () =>
        writeRequest(post({ body: LARGE, headers: [JSON_TYPE, ANY, ['X-Router-Secret', ROUTER_SECRET]] })),
      ),
    ),
}

type MakeBytes = (random: Random) => Buffer

/** The others read, and there is nothing to read for them. */
const OTHERS: readonly { readonly name: string; readonly make: MakeBytes }[] = [
  {
    name: 'announces a body and sends none',
    make: (random) => writeRequest(post({ path: address(random), body: Buffer.alloc(0), announced: 50_000 })),
  },
  { name: 'sends a part of a body', make: () => writeRequest(post({ announced: 50_000 })) },
  {
    name: 'begins a body in chunks',
    make: (random) => writeRequest(post({ path: address(random), chunked: 5 })).subarray(0, -5),
  },
  { name: 'sends a part of a head', make: () => writeRequest(post({})).subarray(0, 60) },
]

/** Crowds without an end: every other one does not read. */
export function* crowdsOf(random: Random): Generator<Crowd> {
  for (;;) {
    const { name, make } = oneOf(random, OTHERS)
    yield { name, bytes: make(random), reads: true }
    yield { name: NEVER_READS.name, bytes: NEVER_READS.make(), reads: false }
  }
}

/**
 * Opens all connections of a crowd, and keeps them while something else is done, once the server has done what it can do
 * for them.
 */
export async function beset(
  { bytes, reads }: Crowd,
  { url, meter }: FuzzedServer,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: COUNT }, () => connected(url)))
  for (const socket of sockets) {
    if (reads) socket.resume()
    else socket.pause()
    socket.write(bytes)
  }
  await sleep(UNDER_WAY_MS)
  await meter.idle()
  await meanwhile()
  for (const socket of sockets) socket.destroy()
}

function address(random: Random): string {
  return oneOf(random, ['/graphql', '/graphql/stream'])
}
