import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startNetwork, type Network, type NetworkOptions } from '../support/network.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { beginDownload, download, exportedIds, exportUrl, fillPayments } from '../support/payments-export.ts'
import { findPostgres, type Database } from '../support/postgres.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'

const server = await findPostgres()
const KINDS = ['SQLite', ...(server === null ? [] : ['PostgreSQL'])]

/** Their file has 30 MB. Linux buffers at most 10 MB of a connection (net.ipv4.tcp_rmem, tcp_wmem). */
const COUNT = 20_000

const LINES = { format: 'NDJSON' }

describe.each(KINDS)('a file of %s that is larger than all buffers', (kind) => {
  let database: Database | null = null
  let network: Network

  beforeAll(async () => {
    if (kind === 'PostgreSQL') database = (await server?.createDatabase({ migrated: true })) ?? null
    const env = database === null ? {} : { DATABASE_URL: database.url }
    network = await startNetwork({ env, limits: { exports: { atOnce: 2, perCaller: 1 }, unreadMs: 60_000 } })
    await fillPayments(database === null ? (sql) => execute(network, sql) : database.run, COUNT)
  })
  afterAll(async () => {
    await network?.close()
    await database?.drop()
  })

  it('is read no faster than the client takes it: what changes before its page is read is in it', async () => {
    const started = await beginDownload(await exportUrl(network, LINES))
    // In this time the first file would have been read to its end, too, if it were not for its client.
    const token = await network.token({ subject: 'another' })
    const { file: other } = await download(await exportUrl(network, LINES, { token }))
    expect(exportedIds(other)).toHaveLength(COUNT)
    await deliver(defaultAddress(network), paymentBody({ uuid: 'bulk-1', amount: '0.10', status: 'received' }))
    await deliver(defaultAddress(network), paymentBody({ uuid: `bulk-${COUNT}`, amount: '0.10', status: 'received' }))
    const file = await started.rest()
    expect(exportedIds(file)).toHaveLength(COUNT)
    expect(lineOf(file, 'bulk-1')).toContain('"status":"received"')
    expect(lineOf(file, `bulk-${COUNT}`)).toContain('"status":"pending"')
    const end = JSON.parse(file.trimEnd().split('\n').at(-1) ?? '') as { totals: unknown[]; count: number }
    expect(end).toMatchObject({ count: COUNT, totals: [{ count: COUNT, amount: `${COUNT / 10}.00` }] })
  })

  it('leaves its place to another download when the client hangs up, whose address the refusal has not used', async () => {
    const first = await beginDownload(await exportUrl(network, LINES))
    const url = await exportUrl(network, { ...LINES, filter: { phases: ['SUCCEEDED'] } })
    const refused = await download(url)
    expect({ status: refused.status, retryAfter: refused.headers.get('retry-after') }).toEqual({
      status: 503,
      retryAfter: '5',
    })
    first.destroy()
    await expect.poll(async () => (await download(url)).status).toBe(200)
    expect(network.log()).not.toContain('an export was cut off')
  })

  it('is finished before a process ends that is asked to, if the client goes on reading', async () => {
    const failed = { ...LINES, filter: { phases: ['FAILED'] } }
    const urls = await Promise.all([exportUrl(network, failed), exportUrl(network, failed)])
    const started = await beginDownload(urls[0] ?? '')
    const restarted = network.restart()
    const file = await started.rest()
    expect(exportedIds(file)).toHaveLength(COUNT / 2)
    expect(file).toMatch(/\n\{"totals":.*\}\n$/)
    await restarted
    expect((await download(urls[1] ?? '')).status).toBe(200)
  })
})

it('a download that takes too long is cut off, and lacks its end', async () => {
  // Long enough for the head of the response, however busy the machine is.
  const network = await filled({ exports: { totalMs: 3_000 }, unreadMs: 60_000 })
  const started = await beginDownload(await exportUrl(network, LINES))
  await expect.poll(() => network.log()).toContain('an export took too long')
  await expect(started.rest()).rejects.toThrow('aborted')
})

it('a file that cannot be read to its end is cut off, and the fault is logged', async () => {
  const network = await filled({ unreadMs: 60_000 })
  const started = await beginDownload(await exportUrl(network, LINES))
  execute(network, 'ALTER TABLE payments RENAME TO elsewhere')
  await expect(started.rest()).rejects.toThrow('aborted')
  await expect.poll(() => network.log()).toContain('an export was cut off')
  execute(network, 'ALTER TABLE elsewhere RENAME TO payments')
})

it('a caller has two downloads at a time, and leaves the others to other callers', async () => {
  const network = await filled({ unreadMs: 60_000 })
  const urlOf = async (subject: string) => exportUrl(network, LINES, { token: await network.token({ subject }) })
  const statuses: (number | undefined)[] = []
  for (const subject of ['ada', 'ada', 'ada', 'grace', 'grace', 'edsger']) {
    const { statusCode, destroy } = await beginDownload(await urlOf(subject))
    statuses.push(statusCode)
    onTestFinished(() => void destroy())
  }
  expect(statuses).toEqual([200, 200, 503, 200, 200, 503])
})

it('a download of a client that stops reading is cut off', async () => {
  const network = await filled({ exports: { atOnce: 1 }, unreadMs: 300 })
  const started = await beginDownload(await exportUrl(network, LINES))
  const url = await exportUrl(network, { ...LINES, filter: { phases: ['SUCCEEDED'] } })
  await expect.poll(async () => (await download(url)).status).toBe(200)
  await expect(started.rest()).rejects.toThrow('aborted')
})

describe.skipIf(server === null)('two nodes on one database', () => {
  let database: Database
  let nodes: Nodes
  beforeAll(async () => {
    if (server === null) return
    database = await server.createDatabase({ migrated: true })
    nodes = await startNodes({ DATABASE_URL: database.url })
  })
  afterAll(async () => {
    await nodes?.close()
    await database?.drop()
  })

  it('send the file of an address once, whichever is asked', async () => {
    const { first, second } = nodes
    const at = ({ app }: Network, url: string) => url.replace(/^https?:\/\/[^/]+/, app.url)
    for (let round = 0; round < 10; round++) {
      const url = await exportUrl(first)
      const answers = await Promise.all([first, second, first, second].map((node) => download(at(node, url))))
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
    }
    const url = await exportUrl(first)
    expect((await download(at(second, url))).status).toBe(200)
    expect((await download(at(first, url))).status).toBe(409)
  })
})

/** Starts an app with as many payments, which ends with the test. */
async function filled(limits: NonNullable<NetworkOptions['limits']>): Promise<Network> {
  const network = await startNetwork({ limits })
  onTestFinished(() => network.close())
  await fillPayments((sql) => execute(network, sql), COUNT)
  return network
}

/** Runs a statement on the SQLite file of an app. */
function execute({ folder }: Network, sql: string): void {
  const file = new DatabaseSync(`${folder}/payments.db`)
  file.exec(sql)
  file.close()
}

function lineOf(file: string, id: string): string {
  return file.split('\n').find((line) => line.includes(`"id":"${id}"`)) ?? ''
}
