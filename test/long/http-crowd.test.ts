import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { sendWebhooks, startClients, type Clients } from '../attacks/overload-load.ts'
import { startApp } from '../faults/killable-app.ts'
import { rounds } from '../faults/rounds.ts'
import { temporaryFolder } from '../support/process.ts'
import { deliver, paymentBody } from '../support/webhooks.ts'

/** Number of connections; each sends its next request as soon as the last one is answered. */
const CROWD = 500
const WEBHOOKS = 40
/** Most answers per connection of the crowd meanwhile. */
const ROUNDS = 10
const QUERY = '{ paymentCurrencies { code exponent region versions enabled } }'
/** About one millisecond of work. */
const HEAVY = `{ ${Array.from({ length: 8 }, (_, index) => `a${index}: paymentCurrencies { code exponent region versions enabled }`).join(' ')} }`

async function setUp(env: Record<string, string> = {}): Promise<{ url: string; clients: Clients }> {
  const app = await startApp({ path: join(temporaryFolder(), 'payments.db'), env })
  const clients = await startClients()
  onTestFinished(async () => {
    clients.stop()
    await app.kill()
  })
  return { url: app.url, clients }
}

const webhook = (url: string) => deliver(`${url}/webhooks/payments`, paymentBody())

// promise(process): One client that sends too much causes no refusal of another.
it('lets webhooks in while hundreds of connections all ask at once', async () => {
  const { url, clients } = await setUp()
  clients.begin({ url, query: QUERY, perSecond: null, connections: CROWD, once: false })
  let answered = 0
  while (answered <= CROWD) answered += (await clients.count()).answered

  const replies = await Promise.all(Array.from({ length: WEBHOOKS }, () => webhook(url)))
  const meanwhile = await clients.count()
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: WEBHOOKS }, () => 200))
  expect(meanwhile.answered).toBeLessThan(ROUNDS * CROWD)
  expect(meanwhile).toMatchObject({ shed: 0, other: 0 })
})

it.each([64, 256])('refuses none of %i clients that ask again as soon as they are answered', async (connections) => {
  const { url, clients } = await setUp()
  clients.begin({ url, query: HEAVY, perSecond: null, connections, once: false })
  const least = performance.now() + rounds({ few: 1_000, many: 30_000 })
  const sum = { answered: 0, shed: 0, other: 0 }
  while (sum.answered < 2 * connections || performance.now() < least) {
    await sleep(100)
    const { answered, shed, other } = await clients.count()
    sum.answered += answered
    sum.shed += shed
    sum.other += other
  }
  expect(sum).toMatchObject({ shed: 0, other: 0 })
})

it.each([
  { name: 'hundreds of connections', load: { perSecond: null, connections: 256, once: false } },
  { name: 'a new connection for each question', load: { perSecond: 4_000, connections: 2_000, once: true } },
])('answers every question of the others while one address asks over $name', async ({ load }) => {
  const { url, clients } = await setUp({ TRUST_PROXY: 'loopback' })
  clients.begin({ ...load, url, query: HEAVY, addresses: ['203.0.113.9'] })
  let answered = 0
  while (answered <= 256) answered += (await clients.count()).answered
  const statuses: number[] = []
  for (let round = 0; round < rounds({ few: 5, many: 50 }); round += 1)
    statuses.push(...(await Promise.all(Array.from({ length: 20 }, (_, client) => askFrom(url, client)))))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  const { status } = await fetch(`${url}/health/ready`)
  expect(status).toBe(200)
})

async function askFrom(url: string, client: number): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${client}` }
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: QUERY }) })
  await answer.arrayBuffer()
  return answer.status
}

const ANSWERS = rounds({ few: 300, many: 20_000 })

it('goes on with its work at three times what it can do, takes every webhook, and is itself again', async () => {
  const { url, clients } = await setUp()
  const order = { url, query: HEAVY, once: false }
  const atPeak = { ...order, perSecond: null, connections: 32 }
  /** Returns the counts once `ANSWERS` requests were answered. */
  const collect = async () => {
    const sum = { answered: 0, other: 0 }
    while (sum.answered < ANSWERS) {
      await sleep(100)
      const { answered, other } = await clients.count()
      sum.answered += answered
      sum.other += other
    }
    return sum
  }
  const measure = async (load: Parameters<Clients['begin']>[0]) => {
    clients.begin(load)
    // A warm-up: code is compiled, and connections are opened.
    await collect()
    const began = performance.now()
    const { answered, other } = await collect()
    return { other, perSecond: (answered * 1_000) / (performance.now() - began) }
  }
  const stop = sendWebhooks(url, 50)
  const peak = await measure(atPeak)
  const over = await measure({ ...order, perSecond: 3 * peak.perSecond, connections: 1_000 })
  const webhooks = await stop()
  expect(webhooks.filter(({ status }) => status !== 200)).toEqual([])
  expect(over.other).toBe(0)

  clients.begin({ ...order, perSecond: peak.perSecond / 4, connections: 64 })
  await expect.poll(async () => (await sleep(500), clients.count())).toMatchObject({ shed: 0 })
  await expect.poll(async () => (await fetch(`${url}/health/ready`)).status).toBe(200)
}, 180_000)
