import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { SIGNATURE_HEADER } from '../../src/webhooks/signature.ts'
import { lacks } from '../faults/means.ts'
import { FULL } from '../faults/rounds.ts'
import { settle } from '../support/deliveries.ts'
import { type Network, type NetworkOptions, startNetwork } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { findPostgres } from '../support/postgres.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { EVENT_STREAM } from '../support/streams.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { addressOf, defaultAddress, deliver, paymentBody, send } from '../support/webhooks.ts'

/** The question of each alert is in docs/operations/metrics.md. */
const ALERTS = [
  'PaymentsDiskFills',
  'PaymentsLimitNear',
  'PaymentsNodeBehind',
  'PaymentsReadsLate',
  'PaymentsUpstreamSlow',
  'PaymentsVersionFails',
  'PaymentsWebhooksRefused',
  'PaymentsWebhooksStopped',
]
const PATIENCE_MS = 300_000

const postgres = await findPostgres()

it.skipIf(lacks('promtool'))('the rules hold in a quiet night, and for each speed of a burning budget', () => {
  const { status, stdout, stderr } = spawnSync(
    'promtool',
    ['test', 'rules', 'test/observability/alerts.promtool.yaml'],
    {
      encoding: 'utf8',
    },
  )
  expect({ status, text: stdout + stderr }).toMatchObject({ status: 0, text: expect.stringContaining('SUCCESS') })
})

// With the full figures the rules are those of the repository; otherwise every duration in them is divided.
it.skipIf(postgres === null || lacks('promtool') || lacks('tmpfs'))(
  'each question of the night shift has an alert, which fires within five minutes of its fault',
  async () => {
    const onDisk = (path: string) => ({ DATABASE_URL: `file:${join(path, `${randomUUID()}.db`)}` })
    const disk = ownDisk()
    const small = ownDisk()
    const busy = await started({
      env: { SOCKET_LIMITS: 'perSubject=5', ...onDisk(disk) },
      extensions: { extension: FAULTY },
    })
    const slow = await started({ env: onDisk(disk) })
    let aheadMs = 0
    const late = await started({ env: onDisk(disk), clock: () => new Date(Date.now() + aheadMs) })
    const { first, behind } = await twoNodes(postgres)
    const full = await started({ env: onDisk(small) })
    const nodes = [busy, slow, late, first, behind, full].map(({ app }) => app.url)
    const firing = await startPrometheus(nodes, FULL ? 1 : 15)
    const fired = async () => ALERTS.filter((name) => seen.has(name))
    const seen = new Set<string>()

    const sell = (silent: boolean) =>
      Promise.all(
        Array.from({ length: 4 }, async () => {
          const link = await createLink(busy)
          await busy.sandbox.control.setStatus(link.id, 'received', { silent })
        }),
      )
    // Over several scrapes: an increase begins with the second one.
    for (let n = 0; n < 12; n++) await Promise.all([sell(false), sleep(1_000)])
    const sold = await createLink(late)
    const { paymentUuid } = await late.sandbox.control.setStatus(sold.id, 'received')
    await settle(late)
    const address = await addressOf(late, sold)
    await deliver(defaultAddress(first), paymentBody())
    await sleep(3_000)
    for (const name of await firing()) seen.add(name)
    expect(await fired()).toEqual([])

    for (const { sandbox, answer } of [
      { ...slow, answer: { delayMs: 6_000 } },
      { ...late, answer: { status: 503 } },
    ])
      sandbox.control.addFault({ method: 'GET', path: '*', times: 10_000, answer })
    await deliver(address, paymentBody({ uuid: String(paymentUuid), status: 'failed' }))
    aheadMs = 400_000
    execFileSync('mount', ['-o', 'remount,size=64m', small])
    await deliver(defaultAddress(first), paymentBody())
    for (let n = 0; n < 5; n++) await busy.follow(EVENT_STREAM)
    const isOver = async () => {
      for (const name of await firing()) seen.add(name)
      return (await fired()).length === ALERTS.length
    }
    const startedAt = performance.now()
    while (!(await isOver()) && performance.now() - startedAt < PATIENCE_MS) {
      await sell(true)
      await busy.ask('{ fault }')
      await send(defaultAddress(busy), { body: paymentBody(), headers: { [SIGNATURE_HEADER]: 'f'.repeat(64) } })
      void slow.ask('{ accountBalances(currencies: ["AUD"]) { nodes { currency } } }').catch(() => {})
      await sleep(500)
    }
    expect(await fired()).toEqual(ALERTS)
  },
  2 * PATIENCE_MS,
)

const FAULTY = {
  typeDefs: 'extend type Query { fault: Int }',
  resolvers: {
    Query: {
      fault() {
        throw new Error('of a new version')
      },
    },
  },
}

async function started(options: NetworkOptions = {}): Promise<Network> {
  const network = await startNetwork(options)
  onTestFinished(() => network.close())
  return network
}

/** Two nodes on one database: what wakes the second up never arrives, and it does not poll. */
async function twoNodes(server: typeof postgres) {
  if (server === null) throw new Error('There is no PostgreSQL.')
  const database = await server.createDatabase({ migrated: true })
  onTestFinished(() => database.drop())
  const { hostname, port } = new URL(database.url)
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) }, (client, upstream) => {
    let isListener = false
    client.on('data', (chunk: Buffer) => {
      isListener ||= chunk.includes('LISTEN')
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => void (isListener || client.write(chunk)))
  })
  onTestFinished(() => proxy.close())
  const first = await started({ env: { DATABASE_URL: database.url } })
  const behind = await started({ env: { DATABASE_URL: proxy.through(database.url) }, tail: { pollMs: 600_000 } })
  return { first, behind }
}

/** Mounts a disk that no other test writes to, so large that a burst of rows does not seem to fill it in four hours. */
function ownDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200g', 'tmpfs', folder])
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder])
    rmdirSync(folder)
  })
  return folder
}
