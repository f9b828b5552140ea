import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { watchPaymentEvents, watchPaymentLink, type Transport } from '../../packages/client/src/index.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network, type NetworkOptions } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { eventsOf, isCaughtUp, isPaid, keep, QUICK } from './watching.ts'

const TRANSPORTS: readonly Transport[] = ['socket', 'sse', 'polling']

it.each(TRANSPORTS)('a cursor of another log gives a new snapshot, over %s', async (transport) => {
  const network = await ownNetwork()
  const { id, statusToken } = await createLink(network)
  const options = { url: `${network.app.url}/graphql`, statusToken, transports: [transport], timing: QUICK }
  const watch = keep((more) => watchPaymentLink(id, { ...options, ...more, after: 'AAAA' }))
  await watch.until(isCaughtUp)
  expect(watch.updates.map(({ kind, link }) => [kind, link?.id])).toEqual([
    ['SNAPSHOT', id],
    ['CAUGHT_UP', undefined],
  ])
  await watch.leave()
})

it('when the database was replaced, a feed says that it begins anew, and a link that it has gone', async () => {
  const network = await ownNetwork()
  const { id } = await createLink(network)
  const options = { url: `${network.app.url}/graphql`, token: await network.token(), timing: QUICK }
  const feed = keep((more) => watchPaymentEvents(null, { ...options, ...more }))
  const watch = keep((more) => watchPaymentLink(id, { ...options, ...more }))
  await Promise.all([feed.until(isCaughtUp), watch.until(isCaughtUp)])
  const paid = await createLink(network)
  await pay(paid.checkoutUrl)
  await feed.until(isPaid)
  await network.restart(() => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(network.folder, `payments.db${end}`), { force: true })
  })
  await expect(watch.until(() => false)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  // The only snapshot of a feed. Each new connection gives CAUGHT_UP, and a busy machine may need more than one.
  const begun = await feed.until(({ kind }) => kind === 'SNAPSHOT')
  expect(begun).toMatchObject({ link: null, payment: null })
  const anew = () => feed.updates.slice(feed.updates.indexOf(begun))
  await feed.until((update) => isCaughtUp(update) && anew().includes(update))
  const other = await createLink(network)
  await pay(other.checkoutUrl)
  await feed.until((update) => isPaid(update) && update.link?.id === other.id)
  expect(eventsOf(anew()).length).toBeGreaterThanOrEqual(4)
  await feed.leave()
  // A server that stops answers with `Retry-After: 5`, which the client honours.
})

it('polling tells what changes without an event, such as a link whose time is over', async () => {
  let aheadMs = 0
  const network = await ownNetwork({ clock: () => new Date(Date.now() + aheadMs) })
  const { id } = await createLink(network)
  const options = { url: `${network.app.url}/graphql`, token: await network.token(), pollMs: 10, timing: QUICK }
  const watch = keep((more) => watchPaymentLink(id, { ...options, ...more, transports: ['polling'] }))
  await watch.until(isCaughtUp)
  aheadMs = 7_200_000
  const { kind, cursor, serverTime } = await watch.until(({ link }) => link?.state === 'EXPIRED')
  expect({ kind, cursor }).toEqual({ kind: 'SNAPSHOT', cursor: watch.updates[0]?.cursor })
  expect(Date.parse(serverTime ?? '')).toBeGreaterThan(Date.now() + 7_000_000)
  await watch.leave()
})

async function ownNetwork(options: NetworkOptions = {}): Promise<Network> {
  const network = await startNetwork(options)
  onTestFinished(() => network.close())
  return network
}
