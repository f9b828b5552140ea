import { randomUUID } from 'node:crypto'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventsOf, follow, type Follower } from '../e2e/sockets-reconnect.ts'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import type { Item } from '../support/stream.ts'
import { brokenLinks, isCaughtUp } from '../support/streams.ts'
import { deliver, paymentBody } from '../support/webhooks.ts'
import { developerToken } from './process-client.ts'
import { rounds } from './rounds.ts'

const CLIENTS = rounds({ few: 100, many: 2_000 })
const EVENTS = 10

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

// promise(streams): After a restart all clients reconnect, and the log is complete.
it.each<NodeJS.Signals>(['SIGTERM', 'SIGKILL'])(
  `${CLIENTS} clients of a process that ends by %s and starts again are all back, and miss nothing`,
  async (signal) => {
    // All clients use the same token here.
    const env = { ...settingsFor(sandbox, temporaryFolder()), SOCKET_LIMITS: 'perSubject=0,streamsPerSubject=0' }
    const app = await startReady({ env })
    const token = await developerToken()
    const followers = Array.from({ length: CLIENTS }, (_, index) =>
      follow({ url: app.url, token: () => Promise.resolve(token), retryAfterMs: jitter(index) }),
    )
    await Promise.all(followers.map((follower) => follower.until(isCaughtUp)))
    await tell(app.url, 'before')
    await all(followers, 'before')

    app.child.kill(signal)
    await app.ended
    const again = await startReady({ env: { ...env, PORT: new URL(app.url).port } })
    await tell(again.url, 'while_they_come')
    await tell(again.url, 'afterwards')
    await all(followers, 'afterwards')

    const [first] = followers
    const told = first === undefined ? [] : eventsOf(first)
    expect(told.length).toBeGreaterThanOrEqual(3 * EVENTS)
    for (const follower of followers) {
      expect(eventsOf(follower).slice(0, told.length)).toEqual(told)
      expect(brokenLinks(follower.items)).toEqual([])
      expect(follower.closed.length).toBeGreaterThan(0)
    }
    const farewell = signal === 'SIGTERM' ? 1012 : 1006
    // Some may have been rejected before, when all of them connected at once.
    expect(followers.filter(({ closed }) => !closed.includes(farewell))).toEqual([])
    await Promise.all(followers.map((follower) => follower.leave()))
  },
  300_000,
)

/** Returns a back-off in milliseconds: it doubles up to four seconds, and adds less than one second that depends on the client. */
function jitter(index: number): (retries: number) => number {
  return (retries) => Math.min(4_000, 250 * 2 ** retries) + ((index * 7_919) % 1_000)
}

/** Sends `EVENTS` webhooks; the last one has the status. */
async function tell(url: string, status: string): Promise<void> {
  for (let count = 1; count <= EVENTS; count++) {
    const body = paymentBody({ uuid: randomUUID(), status: count === EVENTS ? status : 'pending' })
    expect((await deliver(`${url}/webhooks/payments`, body)).status).toBe(200)
  }
}

async function all(followers: readonly Follower[], status: string): Promise<void> {
  const isTold = ({ event }: Item) => event?.toStatus === status
  await Promise.all(followers.map((follower) => follower.until(isTold)))
}
