import { beforeAll, expect, it } from 'vitest'
import { type ContactDetails, watchPaymentContact } from '../../packages/client/src/index.ts'
import { openedUpload, pictures } from '../support/identity.ts'
import { asked } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'

const DETAIL = '/v2/contacts/detail'

let network: Network
beforeAll(async () => {
  network = await startNetwork({ sandbox: BY_HAND })
  return () => network.close()
})

const endpoint = () => ({
  url: `${network.app.url}/graphql`,
  token: () => network.token({ scopes: ['customers:read'] }),
  pollMs: 10,
})

const next = async (watch: AsyncGenerator<ContactDetails>) => (await watch.next()).value

it('the identity check of a contact is followed from the upload to its end, masked', async () => {
  const { email, url } = await openedUpload(network)
  const watch = watchPaymentContact({ email, currency: 'AUD' }, endpoint())
  const first = await next(watch)
  expect(first).toMatchObject({ identityStatus: 'NOT_SUBMITTED', identityResults: [] })
  expect(JSON.stringify(first)).not.toContain(email)
  const pending = next(watch)
  await fetch(url, { method: 'POST', body: pictures() })
  expect(await pending).toMatchObject({ identityStatus: 'PENDING' })
  const decided = next(watch)
  await network.sandbox.control.advance((2 * BY_HAND.paceMs) / 1000)
  expect(await decided).toMatchObject({ identityStatus: 'APPROVED', identityResults: [{ statusRaw: 'approved' }] })
  expect(await watch.next()).toEqual({ done: true, value: undefined })
})

it('a failure of the payments API is waited out, and an update is shown once', async () => {
  const { email, url } = await openedUpload(network)
  const watch = watchPaymentContact({ email, currency: 'AUD' }, endpoint())
  await next(watch)
  network.sandbox.control.addFault({ method: 'GET', path: DETAIL, answer: { status: 503 }, times: 3 })
  const before = asked(network, 'GET', DETAIL)
  const pending = next(watch)
  await expect.poll(() => asked(network, 'GET', DETAIL) - before).toBeGreaterThan(3)
  await fetch(url, { method: 'POST', body: pictures() })
  expect(await pending).toMatchObject({ identityStatus: 'PENDING' })
  await watch.return()
})

it('nobody, and a caller without the right to contacts, are errors; a signal ends it without one', async () => {
  const at = (over: object) =>
    watchPaymentContact({ email: 'nobody@example.test', currency: 'AUD' }, { ...endpoint(), ...over })
  await expect(at({}).next()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const token = () => network.token({ scopes: ['payments:read'] })
  await expect(at({ token }).next()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const { email } = await openedUpload(network)
  const control = new AbortController()
  const watch = watchPaymentContact({ email, currency: 'AUD' }, { ...endpoint(), signal: control.signal })
  await next(watch)
  const waiting = watch.next()
  control.abort()
  expect(await waiting).toEqual({ done: true, value: undefined })
})
