import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchPaymentLink } from '../../packages/client/src/index.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, type CreatedLink } from '../support/operations.ts'
import { gauge } from '../support/streams.ts'

const run = promisify(execFile)
const LEAVE = join(import.meta.dirname, 'leave.ts')
/** Milliseconds after which a process that something keeps open is ended: its test fails. Every interval of the kit is longer in it. */
const timeout = 120_000

let network: Network
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork()
  link = await createLink(network)
})
afterAll(() => network.close())

const CASES = ['socket', 'sse', 'polling'].flatMap((transport) =>
  ['at once', 'CAUGHT_UP', 'offline'].map((moment, index) => ({
    transport,
    moment,
    way: index % 2 === 0 ? 'abort' : 'return',
  })),
)

it.each(CASES)('leaves nothing open: $transport, ended by $way, $moment', async ({ transport, moment, way }) => {
  const url = moment === 'offline' ? 'http://127.0.0.1:9/graphql' : `${network.app.url}/graphql`
  const args = [LEAVE, url, link.id, link.statusToken, transport, moment, way]
  const { stdout } = await run(process.execPath, args, { timeout })
  expect(JSON.parse(stdout)).toEqual(moment === 'CAUGHT_UP' ? ['SNAPSHOT', 'CAUGHT_UP'] : [])
  await expect.poll(() => gauge(network, 'payments_streams_open')).toBe(0)
})

it('opens nothing before the first update is asked for, and nothing after its end', async () => {
  const watch = watchPaymentLink(link.id, { url: `${network.app.url}/graphql`, statusToken: link.statusToken })
  expect(await watch.return?.()).toEqual({ done: true, value: undefined })
  expect(await watch.next()).toEqual({ done: true, value: undefined })
  expect(await gauge(network, 'payments_streams_open')).toBe(0)
})
