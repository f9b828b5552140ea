import { beforeAll, expect, it } from 'vitest'
import { type ContactDetails, watchPaymentContact } from '../../src/client/index.ts'
import { CONTACT_UPDATES } from '../support/identity-streams.ts'
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

it('the stream tells of a change, so that the contact is read twice and not at intervals', async () => {
  const { email, url } = await openedUpload(network)
  const queries: string[] = []
  const counting: typeof fetch = (input, init) => {
    if (typeof init?.body === 'string' && init.body.includes('query PaymentContact')) queries.push(init.body)
    return fetch(input, init)
  }
  const watch = watchPaymentContact({ email, site: 'aud' }, { ...endpoint(), pollMs: 600_000, fetch: counting })
  await next(watch)
  const pending = next(watch)
  await fetch(url, { method: 'POST', body: pictures() })
  expect(await pending).toMatchObject({ identityStatus: 'PENDING' })
  expect(queries.length).toBeLessThanOrEqual(3)
  await watch.return()
})

it('a contact is read at intervals where no stream is given', async () => {
  const crowded = await startNetwork({ sandbox: BY_HAND, limits: { streamsPerSubject: 1 } })
  const { email, url } = await openedUpload(crowded)
  const other = await openedUpload(crowded)
  const stream = await crowded.follow(CONTACT_UPDATES, { email: other.email, site: 'aud' })
  await stream.next()
  const watch = watchPaymentContact(
    { email, currency: 'AUD' },
    { ...endpoint(), url: `${crowded.app.url}/graphql`, token: () => crowded.token() },
  )
  expect(await next(watch)).toMatchObject({ identityStatus: 'NOT_SUBMITTED' })
  const pending = next(watch)
  await fetch(url, { method: 'POST', body: pictures() })
  expect(await pending).toMatchObject({ identityStatus: 'PENDING' })
  await watch.return()
  await stream.end()
  await crowded.close()
})

it('a stream that is refused beyond a limit is asked for again only at the next read', async () => {
  const crowded = await startNetwork({ sandbox: BY_HAND, limits: { streamsPerSubject: 1 } })
  const { email } = await openedUpload(crowded)
  const other = await openedUpload(crowded)
  const stream = await crowded.follow(CONTACT_UPDATES, { email: other.email, site: 'aud' })
  await stream.next()
  const control = new AbortController()
  const watch = watchPaymentContact(
    { email, currency: 'AUD' },
    {
      url: `${crowded.app.url}/graphql`,
      token: () => crowded.token(),
      pollMs: 600_000,
      signal: control.signal,
    },
  )
  await next(watch)
  const before = asked(crowded, 'GET', DETAIL)
  const waiting = watch.next()
  // Each takes as long as a read of the watch would.
  const query = 'query ($email: String!) { paymentContact(email: $email, currency: "AUD") { identityStatus } }'
  for (let turn = 0; turn < 50; turn += 1) await crowded.ask(query, { email })
  // And one of the stream that was refused.
  expect(asked(crowded, 'GET', DETAIL) - before).toBeLessThanOrEqual(51)
  control.abort()
  expect(await waiting).toEqual({ done: true, value: undefined })
  await stream.end()
  await crowded.close()
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
