import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { residentBytes } from '../../bench/support/memory.ts'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import type { Item, Stream } from '../support/stream.ts'
import { brokenLinks } from '../support/streams.ts'
import { deliver, paymentBody } from '../support/webhooks.ts'
import { followLog } from './process-client.ts'

const STOPPED = 100
/** More events than the tail of the log keeps in memory, so that it has its full size before the readers stop. */
const WARM_EVENTS = 12_000
const CONTROL_EVENTS = 2_000
const BATCH = 500
/** Each frame has the id of its operation: long ones fill the system's buffers before the readers are cut, whatever the machine's speed. */
const LONG_ID = 'x'.repeat(8_000)
/** The size of a busy process varies by tens of megabytes. One that holds what the stopped clients do not read grows by two gigabytes. */
const GROWTH_BYTES = 64 * 1024 * 1024
const SENDERS = 16

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

it('a hundred clients that stop reading are cut, cost little memory, and miss nothing afterwards', async () => {
  const app = await startReady({
    env: { ...settingsFor(sandbox, temporaryFolder()), NODE_OPTIONS: '--expose-gc' },
    preload: [fileURLToPath(new URL('../../bench/support/gc-on-signal.ts', import.meta.url))],
  })
  await tellMany(app.url, WARM_EVENTS)
  const good = await followLog(app.url)
  const readingOn = good.until(isEnd)
  const stopped = await Promise.all(
    Array.from({ length: STOPPED }, () => followLog(app.url, undefined, { operationId: LONG_ID })),
  )
  // The memory of a hundred reading clients is not measured: it is in use before they stop.
  const reading = stopped.map((stream) => stream.until(({ event }) => event?.toStatus === 'now_stop'))
  let before = 0
  for (let sent = 0; sent < CONTROL_EVENTS; sent += BATCH) before = Math.max(before, await sizeAfterBatch(app))
  await tell(app.url, 'now_stop')
  await Promise.all(reading)
  for (const stream of stopped) stream.pause()

  let largest = before
  while ((await openSockets(app.url)) > 1) largest = Math.max(largest, await sizeAfterBatch(app))
  await tell(app.url, 'the_end')
  await readingOn
  expect(largest - before).toBeLessThan(GROWTH_BYTES)
  expect(brokenLinks(good.items)).toEqual([])

  const all = cursors(good)
  for (const stream of stopped) {
    stream.resume()
    while ((await stream.next().catch(() => null)) !== null);
    const last = stream.items.at(-1)?.cursor
    const again = await followLog(app.url, last)
    expect([...cursors(stream), ...cursors(again)]).toEqual(all)
    await again.end()
  }
}, 600_000)

const isEnd = ({ event }: Item) => event?.toStatus === 'the_end'

async function tell(url: string, status?: string): Promise<void> {
  const body = paymentBody({ uuid: randomUUID(), ...(status === undefined ? {} : { status }) })
  const reply = await deliver(`${url}/webhooks/payments`, body)
  expect(reply.status).toBe(200)
}

async function tellMany(url: string, count: number): Promise<void> {
  let left = count
  const sender = async () => {
    while (left-- > 0) await tell(url)
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
}

/** Collects the process's garbage, and returns its size in bytes after the next events. */
async function sizeAfterBatch({ url, child: { pid = 0 } }: Awaited<ReturnType<typeof startReady>>): Promise<number> {
  process.kill(pid, 'SIGWINCH')
  await tellMany(url, BATCH)
  return residentBytes(pid)
}

async function openSockets(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^payments_sockets_open (\d+)$/m.exec(text)?.[1])
}

function cursors({ items }: Stream): string[] {
  return items.flatMap(({ kind, cursor }) => (kind === 'EVENT' ? [cursor] : []))
}
