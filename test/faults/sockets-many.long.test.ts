import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import { greetedRawPeer, type RawPeer } from '../support/raw-websocket.ts'
import { EVENT_STREAM } from '../support/streams.ts'
import { deliver, paymentBody } from '../support/webhooks.ts'
import { developerToken } from './process-client.ts'

const SOCKETS = 10_000
/** How many are opened concurrently. */
const AT_ONCE = 50
const EVENTS = 20
const IDLE_BYTES = 600 * 1024 * 1024
/** Every stream executes each event by itself, all at once, and the heap grows to hold that for a moment. */
const BUSY_BYTES = 2_048 * 1024 * 1024
/** 99th percentile of the time from the webhook to a client, in milliseconds. */
const LATE_MS = 15_000

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

it('ten thousand sockets hear of every event', async () => {
  // Both ends of each connection use a file descriptor: the start reports it if there are too few.
  const env = {
    ...settingsFor(sandbox, temporaryFolder()),
    SOCKET_LIMITS: 'perSubject=0,streamsPerSubject=0,keepAliveMs=60000',
  }
  const app = await startReady({ env })
  const token = await developerToken()
  const peers: RawPeer[] = []
  while (peers.length < SOCKETS) {
    const opening = Array.from({ length: Math.min(AT_ONCE, SOCKETS - peers.length) }, () => opened(app.url, token))
    peers.push(...(await Promise.all(opening)))
  }
  const idle = memoryOf(app.child.pid)
  const late: number[] = []
  for (let count = 0; count < EVENTS; count++) {
    const uuid = randomUUID()
    const heard = Promise.all(peers.map((peer) => hear(peer, uuid)))
    const told = performance.now()
    expect((await deliver(`${app.url}/webhooks/payments`, paymentBody({ uuid }))).status).toBe(200)
    for (const at of await heard) late.push(at - told)
  }
  const sorted = late.toSorted((one, other) => one - other)
  expect(sorted).toHaveLength(SOCKETS * EVENTS)
  expect({ idle, busy: memoryOf(app.child.pid), late: sorted[Math.floor(sorted.length * 0.99)] }).toEqual({
    idle: lessThan(IDLE_BYTES),
    busy: lessThan(BUSY_BYTES),
    late: lessThan(LATE_MS),
  })
  for (const peer of peers) peer.connection.destroy()
}, 900_000)

/** Opens a socket that has caught up; retries while the program answers 503. */
async function opened(url: string, token: string): Promise<RawPeer> {
  for (;;) {
    try {
      const peer = await greetedRawPeer(url, { token })
      peer.say({ id: '1', type: 'subscribe', payload: { query: EVENT_STREAM } })
      await untilHeard(peer, 'CAUGHT_UP')
      return peer
    } catch (error) {
      if ((error as { status?: number }).status !== 503) throw error
    }
  }
}

/** Returns when the peer receives the event of a payment; other messages before it are skipped. */
async function hear(peer: RawPeer, uuid: string): Promise<number> {
  await untilHeard(peer, uuid)
  return performance.now()
}

async function untilHeard(peer: RawPeer, text: string): Promise<void> {
  while (!(await peer.next()).payload.includes(text));
}

function lessThan(limit: number): unknown {
  return expect.toSatisfy((figure: number) => figure < limit, `less than ${limit}`)
}

/** Returns the resident memory of a process in bytes (proc(5), VmRSS). */
function memoryOf(pid: number | undefined): number {
  const [, kilobytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
