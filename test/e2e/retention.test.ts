import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { LINK_UPDATES } from '../support/operations.ts'
import { isCaughtUp, paidStream } from '../support/streams.ts'

const DAY_MS = 86_400_000
const YEAR_SECONDS = 365 * 86_400
const EVENTS = 'query E($after: String) { paymentEvents(first: 5, after: $after) { nodes { cursor } } }'

type Events = { paymentEvents: { nodes: { cursor: string }[] } }

let network: Network
let now = () => new Date()
const archive = mkdtempSync(join(tmpdir(), 'payments-archive-'))

beforeAll(async () => {
  network = await startNetwork({
    clock: () => now(),
    env: { RETENTION_EVENTS_DAYS: '31', RETENTION_DELIVERIES_DAYS: '31', ARCHIVE_URL: `file:${archive}` },
  })
})
afterAll(async () => {
  await network.close()
  rmSync(archive, { recursive: true })
})

// promise(kept): Old months are archived, verified and pruned while others write; a cursor from before gives
// `RESYNC_REQUIRED`.
it('months later the history is in the archive, the payment is still there, and old cursors say so', async () => {
  const { link, items, paymentId } = await paidStream(network)
  const cursor = items[0]?.cursor
  await network.restart(() => {
    now = () => new Date(Date.now() + 100 * DAY_MS)
  })
  const token = await network.token({ ttlSeconds: YEAR_SECONDS })
  const events = (after: string | null) => network.ask<Events>(EVENTS, { after }, { token })
  await expect.poll(async () => (await events(null)).data.paymentEvents.nodes).toEqual([])

  expect((await events(cursor ?? '')).errors).toMatchObject([
    { extensions: { code: 'BAD_USER_INPUT', argument: 'after' }, message: expect.stringContaining('older') as string },
  ])
  const stream = await network.follow(LINK_UPDATES, { id: link.id, after: cursor }, { token })
  expect((await stream.until(({ kind }) => kind === 'RESYNC_REQUIRED')).map(({ kind }) => kind)).toEqual([
    'RESYNC_REQUIRED',
  ])
  const fresh = await network.follow(LINK_UPDATES, { id: link.id }, { token })
  expect((await fresh.until(isCaughtUp)).map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
  const { data } = await network.ask(
    'query P($id: ID!) { payment(id: $id) { id paid { value } } }',
    { id: paymentId },
    { token },
  )
  expect(data).toMatchObject({ payment: { id: paymentId, paid: { value: expect.any(String) as string } } })
  expect(
    readdirSync(archive)
      .map((file) => file.slice(0, file.indexOf('-')))
      .toSorted(),
  ).toEqual(['deliveries', 'events'])
  expect(await (await fetch(`${network.app.url}/metrics`)).text()).toMatch(
    /^payments_archived_rows_total\{kind="events"\} [1-9]/m,
  )
})
