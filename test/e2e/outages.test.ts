import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lacks } from '../faults/means.ts'
import { scrape, sumOf } from '../support/metrics.ts'
import { type Network, startNetwork } from '../support/network.ts'
import { createLink, linkInput, CREATE_LINK } from '../support/operations.ts'
import { findPostgres } from '../support/postgres.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'

const server = await findPostgres()
const PAYMENT = 'query ($id: ID!) { payment(id: $id) { id } }'
const UNAVAILABLE = { extensions: { code: 'UNAVAILABLE', retryAfterMs: 5_000 } }

/** Lines at this level or above that are about the database. */
const linesOf = ({ log }: Network) =>
  log()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(
      ({ level, msg, err }) =>
        level !== 'debug' && (/^the (?:disk of the )?database/.test(String(msg)) || err !== undefined),
    )

const readiness = async ({ app }: Network) => (await fetch(`${app.url}/health/ready`)).status

const back = async (network: Network) => {
  await expect.poll(() => linesOf(network).at(-1)?.['msg']).toBe('the database is available again')
}

describe.skipIf(server === null)('a PostgreSQL server that is away', () => {
  it('is told by one line, by 503 with a code that clients retry, and by one line when it is back', async () => {
    if (server === null) return
    const database = await server.createDatabase({ migrated: true })
    onTestFinished(() => database.drop())
    let isAway = false
    const open = new Set<Socket>()
    const { hostname, port } = new URL(database.url)
    const proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) }, (client, upstream) => {
      if (isAway) client.destroy()
      else client.pipe(upstream).pipe(client)
      open.add(client)
    })
    onTestFinished(() => proxy.close())
    const network = await startNetwork({ env: { DATABASE_URL: proxy.through(database.url) } })
    onTestFinished(() => network.close())
    await createLink(network)

    isAway = true
    for (const socket of open) socket.destroy()
    for (let time = 0; time < 10; time += 1)
      expect((await deliver(defaultAddress(network), paymentBody())).status).toBe(503)
    const answer = await network.ask(PAYMENT, { id: 'any' })
    expect(answer).toMatchObject({ status: 503, data: { payment: null }, errors: [UNAVAILABLE] })
    expect((await network.ask(CREATE_LINK, { input: linkInput() })).status).toBe(503)
    expect(await readiness(network)).toBe(503)
    expect(linesOf(network)).toEqual([expect.objectContaining({ level: 'error', reason: 'DOWN' })])
    expect(sumOf(await scrape(network.app.url), 'payments_store_up')).toBe(0)
    expect(sumOf(await scrape(network.app.url), 'payments_store_failures_total', { reason: 'DOWN' })).toBeGreaterThan(0)

    isAway = false
    await back(network)
    expect(linesOf(network)).toHaveLength(2)
    expect(await readiness(network)).toBe(200)
    expect((await deliver(defaultAddress(network), paymentBody())).status).toBe(200)
    const samples = await scrape(network.app.url)
    expect(sumOf(samples, 'payments_store_up')).toBe(1)
    expect(sumOf(samples, 'payments_store_connections', { state: 'limit' })).toBe(8)
    expect(Math.abs(sumOf(samples, 'payments_database_clock_offset_seconds'))).toBeLessThan(2)
  })
})

describe.skipIf(lacks('tmpfs'))('a disk', () => {
  async function startOnSmallDisk() {
    const folder = mkdtempSync(join(tmpdir(), 'payments-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder])
    onTestFinished(() => {
      execFileSync('umount', [folder])
      rmdirSync(folder)
    })
    const network = await startNetwork({ env: { DATABASE_URL: `file:${join(folder, 'payments.db')}` } })
    onTestFinished(() => network.close())
    const filler = join(folder, 'filler')
    /** Fills the disk up to so many bytes. */
    const fill = async (left: number) => {
      const free = sumOf(await scrape(network.app.url), 'payments_store_disk_free_bytes')
      const file = openSync(filler, 'w')
      try {
        for (let size = free - left; size > 0; size -= 4_096) writeSync(file, Buffer.alloc(4_096))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        closeSync(file)
      }
    }
    return { network, fill, empty: () => rmSync(filler) }
  }
  const sentLinks = async ({ app }: Network) =>
    sumOf(await scrape(app.url), 'payments_upstream_requests_total', { endpoint: 'createPayinLink' })

  it('that is nearly full gets no command, and a command is sent once there is room', async () => {
    const { network, fill, empty } = await startOnSmallDisk()
    await fill(128 * 1024)
    const input = linkInput()
    // What the system said of the disk is used for a second.
    const free = async () => sumOf(await scrape(network.app.url), 'payments_store_disk_free_bytes')
    await expect.poll(free).toBeLessThan(256 * 1024)
    const sent = await sentLinks(network)
    expect(await network.ask(CREATE_LINK, { input })).toMatchObject({ status: 503, errors: [UNAVAILABLE] })
    expect(await sentLinks(network)).toBe(sent)
    expect(await readiness(network)).toBe(503)
    expect(linesOf(network)).toEqual([expect.objectContaining({ level: 'error', reason: 'FULL', code: 'ENOSPC' })])
    empty()
    await back(network)
    expect(await network.ask(CREATE_LINK, { input })).toMatchObject({ status: 200 })
    expect(await sentLinks(network)).toBe(sent + 1)
    expect(await readiness(network)).toBe(200)
  })

  it('that is full is named as it is by SQLite, and in the reason of refused webhooks', async () => {
    const { network, fill, empty } = await startOnSmallDisk()
    await fill(0)
    await expect.poll(async () => (await deliver(defaultAddress(network), paymentBody())).status).toBe(503)
    expect(linesOf(network)).toEqual([expect.objectContaining({ level: 'error', reason: 'FULL', code: 'SQLITE_FULL' })])
    const samples = await scrape(network.app.url)
    expect(sumOf(samples, 'payments_webhooks_total', { reason: 'store_full', status: '503' })).toBeGreaterThan(0)
    expect(await readiness(network)).toBe(503)
    empty()
    await back(network)
    expect((await deliver(defaultAddress(network), paymentBody())).status).toBe(200)
  })
})
