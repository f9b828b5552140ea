import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../faults/random.ts'
import { oneOf } from '../random-operation.ts'
import { IN_FLIGHT, ROUTER_SECRET, type FuzzedServer } from './fuzzed-server.ts'
import { connected } from './perform.ts'
import { writeRequest, type RequestParts } from './write-request.ts'

/** Many concurrent connections that do the same. */
export type Crowd = {
  readonly name: string
  /** What each connection sends, whether or not the server reads it. */
  readonly bytes: Buffer
  /** Whether the clients read what the server sends. */
  readonly reads: boolean
}

/** More connections than the server may have requests in flight. */
const COUNT = IN_FLIGHT + 2
/** Pipelined requests: together their answers exceed what the operating system buffers for a peer that does not read. */
const IN_A_ROW = 20
/** Least time that the sent bytes are in flight, in milliseconds. */
const UNDER_WAY_MS = 200

const JSON_TYPE = ['Content-Type', 'application/json'] as const
/** Without this header, `/graphql/stream` answers at once. */
const ANY = ['Accept', 'application/json, text/event-stream'] as const
const BODY = Buffer.from(JSON.stringify({ query: '{ __typename }' }))
/** The largest answer for the least work: one megabyte, which only the router may request. */
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

/** The other crowds read, but receive nothing until the server gives up. */
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

/** Yields crowds without end: every second one does not read. */
export function* crowdsOf(random: Random): Generator<Crowd> {
  for (;;) {
    const { name, make } = oneOf(random, OTHERS)
    yield { name, bytes: make(random), reads: true }
    yield { name: NEVER_READS.name, bytes: NEVER_READS.make(), reads: false }
  }
}

/** Opens all connections of a crowd, waits until the server is idle, and keeps them open while `meanwhile` runs. */
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
