import { beforeAll, expect, it } from 'vitest'
import { paymentLinkStore, type PaymentLinkView } from '../../packages/client/src/index.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { gauge } from '../support/streams.ts'
import { QUICK } from './watching.ts'

let network: Network
beforeAll(async () => {
  network = await startNetwork()
  return () => network.close()
})

it('shows a payment as it goes, in views that never change', async () => {
  const { store, checkoutUrl, id } = await storeOfLink()
  const views = new Set<PaymentLinkView>([store.getSnapshot()])
  const leave = store.subscribe(() => views.add(store.getSnapshot()))
  await expect.poll(() => store.getSnapshot().caughtUp).toBe(true)
  await pay(checkoutUrl)
  await expect.poll(() => store.getSnapshot().payment?.phase).toBe('SUCCEEDED')
  const view = store.getSnapshot()
  expect(store.getSnapshot()).toBe(view)
  expect(store.getServerSnapshot()).toBe(store.getServerSnapshot())
  expect(view).toMatchObject({ connection: 'live', error: null, link: { id, state: 'PAID' } })
  expect(view.events.map(({ toStatus }) => toStatus)).toEqual(['pending', 'authorised', 'waiting', 'received'])
  expect(view.events.at(-1)?.cursor).toBe(view.cursor)
  expect(Math.abs(view.serverOffsetMs)).toBeLessThan(1_000)
  for (const seen of views) expect(Object.isFrozen(seen)).toBe(true)
  // Each call of the listener has delivered a new view.
  expect(Array.from(views, ({ events }) => events.length)).toEqual([0, 0, 0, 0, 1, 2, 3, 4])
  leave()
  store.close()
})

it('runs while somebody listens, and goes on from where it was', async () => {
  const { store, checkoutUrl } = await storeOfLink()
  expect(await gauge(network, 'payments_streams_open')).toBe(0)
  const leaveFirst = store.subscribe(() => {})
  const leaveSecond = store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot().caughtUp).toBe(true)
  const begun = store.getSnapshot()
  leaveFirst()
  leaveSecond()
  // As React in strict mode, which mounts twice.
  const leaveThird = store.subscribe(() => {})
  expect(await gauge(network, 'payments_streams_open')).toBe(1)
  expect(store.getSnapshot()).toBe(begun)
  leaveThird()
  await expect.poll(() => gauge(network, 'payments_streams_open')).toBe(0)
  expect(store.getSnapshot()).toEqual({ ...begun, connection: 'closed' })
  await pay(checkoutUrl)
  await network.sandbox.settle()
  store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot().events.length).toBe(4)
  expect(store.getSnapshot().link?.state).toBe('PAID')
  store.close()
  await expect.poll(() => gauge(network, 'payments_streams_open')).toBe(0)
  expect(store.getSnapshot().connection).toBe('closed')
  store.subscribe(() => {})
  expect(await gauge(network, 'payments_streams_open')).toBe(0)
})

it('tells why there is nothing to show', async () => {
  const store = paymentLinkStore('nothing', { url: `${network.app.url}/graphql` })
  store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot().error?.code).toBe('NOT_FOUND')
  expect(store.getSnapshot().connection).toBe('closed')
})

async function storeOfLink() {
  const { id, statusToken, checkoutUrl } = await createLink(network)
  const options = { url: `${network.app.url}/graphql`, statusToken, timing: QUICK }
  return { store: paymentLinkStore(id, options), checkoutUrl, id }
}
