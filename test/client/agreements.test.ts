import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Transport, watchPaymentAgreement } from '../../packages/client/src/index.ts'
import type { Scope } from '../../src/access/caller.ts'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { startFrontProxy } from './front-proxy.ts'
import { isCaughtUp, keep, QUICK } from './watching.ts'

const TRANSPORTS: readonly Transport[] = ['socket', 'sse', 'polling']

let network: Network
beforeAll(async () => {
  network = await startNetwork({ sandbox: NO_ANSWER })
  return () => network.close()
})

const optionsFor = (transport: Transport, scopes: Scope[] = ['agreements:read']) => ({
  url: `${network.app.url}/graphql`,
  token: () => network.token({ scopes }),
  transports: [transport],
  pollMs: 10,
  timing: QUICK,
})

it.each(TRANSPORTS)('an agreement is followed over %s, and continued after a cursor', async (transport) => {
  const { id, serviceId } = await createAgreement(network)
  const options = optionsFor(transport)
  const watch = keep((more) => watchPaymentAgreement(id, { ...options, ...more }))
  await watch.until(isCaughtUp)
  expect(watch.updates[0]).toMatchObject({
    kind: 'SNAPSHOT',
    agreement: { id, status: 'CREATED' },
    link: null,
    payment: null,
  })
  const cursor = watch.updates.at(-1)?.cursor ?? ''
  const reaches = (status: string) =>
    watch.until(({ kind, agreement }) => kind === 'EVENT' && agreement?.status === status)
  await network.sandbox.control.setAgreementStatus(serviceId, 'active')
  expect(await reaches('ACTIVE')).toMatchObject({ event: { fromStatus: 'created', toStatus: 'active' } })
  await network.sandbox.control.setAgreementStatus(serviceId, 'suspended')
  await reaches('SUSPENDED')
  await watch.leave()

  const later = keep((more) => watchPaymentAgreement(id, { ...options, ...more, after: cursor }))
  await later.until(isCaughtUp)
  await later.leave()
  const statuses = later.updates.filter(({ kind }) => kind === 'EVENT').map(({ event }) => event?.toStatus)
  expect(statuses).toEqual(expect.arrayContaining(['active', 'suspended']))
  const versions = later.updates.flatMap(({ agreement }) => agreement?.version ?? [])
  expect(versions).toEqual(versions.toSorted((one, other) => one - other))
})

it.each(TRANSPORTS)('an agreement that is not there, or not for the caller, is an error over %s', async (transport) => {
  const { id } = await createAgreement(network)
  const firstOf = (which: string, scopes?: Scope[]) =>
    watchPaymentAgreement(which, optionsFor(transport, scopes)).next()
  await expect(firstOf('unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(firstOf(id, ['payments:read'])).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('asks by polling for nothing that has not changed', async () => {
  const { id } = await createAgreement(network)
  const proxy = await startFrontProxy(network.app.url)
  onTestFinished(() => proxy.close())
  const options = { ...optionsFor('polling'), url: proxy.url }
  const watch = keep((more) => watchPaymentAgreement(id, { ...options, ...more }))
  await watch.until(isCaughtUp)
  const before = proxy.asked.http
  await expect.poll(() => proxy.asked.http).toBeGreaterThan(before + 3)
  expect(watch.updates.map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
  await watch.leave()
})
