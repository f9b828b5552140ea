import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCallbackRouter } from '../support/callback-router.ts'
import { CONTACT_UPDATES, IDENTITY_STREAMS } from '../support/identity-streams.ts'
import { openedUpload, pictures, refusedContact } from '../support/identity.ts'
import { identityInput } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { findPostgres } from '../support/postgres.ts'

const DETAIL = '/v2/contacts/detail'
const server = await findPostgres()

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterAll(() => network.close())

const upload = (url: string) => fetch(url, { method: 'POST', body: pictures() })
const decide = () => network.sandbox.control.advance((2 * BY_HAND.paceMs) / 1000)
const told = (kind: string, identityStatus: string, results: number) =>
  expect.objectContaining({ kind, identityStatus, results }) as unknown

const follow = (variables: Record<string, unknown>, options = {}) => network.follow(CONTACT_UPDATES, variables, options)

/** Returns the codes with which a stream is refused. */
async function refusal(variables: Record<string, unknown>, options = {}): Promise<unknown> {
  const stream = await follow(variables, options)
  const errors = await stream.next().catch((error: { errors: { extensions: { code: string } }[] }) => error.errors)
  await stream.end()
  return (errors as { extensions: { code: string } }[])[0]?.extensions.code
}

describe('the state of an identity check', () => {
  it.each(IDENTITY_STREAMS)('is told from the upload to its end over %s', async (_name, open) => {
    const { email, url } = await openedUpload(network)
    const stream = await open(network, { email, currency: 'AUD' })
    expect(await stream.next()).toEqual(told('SNAPSHOT', 'NOT_SUBMITTED', 0))
    const pending = stream.next()
    await upload(url)
    expect(await pending).toEqual(told('CHANGED', 'PENDING', 1))
    const decided = stream.next()
    await decide()
    expect(await decided).toMatchObject({ kind: 'CHANGED', identityStatus: 'APPROVED' })
    expect(await stream.next()).toBeNull()
    await stream.end()
  })

  it('is read once for all followers, whatever the case of the address, and for a late one not at all', async () => {
    const { email, url } = await openedUpload(network)
    const before = asked(network, 'GET', DETAIL)
    const names = [{ currency: 'AUD' }, { site: 'aud' }, { currency: 'AUD', site: 'aud' }]
    const streams = await Promise.all(
      names.map((name, index) => follow({ email: index === 0 ? email.toUpperCase() : ` ${email} `, ...name })),
    )
    const all = async () => Promise.all(streams.map((stream) => stream.next()))
    expect(await all()).toEqual(streams.map(() => told('SNAPSHOT', 'NOT_SUBMITTED', 0)))
    expect(asked(network, 'GET', DETAIL) - before).toBe(1)
    const pending = all()
    await upload(url)
    expect(await pending).toEqual(streams.map(() => told('CHANGED', 'PENDING', 1)))
    const reads = asked(network, 'GET', DETAIL)
    const late = await follow({ email, currency: 'AUD' })
    expect(await late.next()).toEqual(told('SNAPSHOT', 'PENDING', 1))
    expect(asked(network, 'GET', DETAIL)).toBe(reads)
    for (const stream of [...streams, late]) await stream.end()
  })

  it('goes on after a refusal, because another document may be handed in', async () => {
    const email = await refusedContact(network)
    const stream = await follow({ email, currency: 'AUD' })
    expect(await stream.next()).toMatchObject({ kind: 'SNAPSHOT', identityStatus: 'REJECTED' })
    const next = stream.next()
    const { uploadUrl } = await mutate(network, 'requestIdentityCheck', identityInput(email))
    await upload(String(uploadUrl))
    expect(await next).toMatchObject({ kind: 'CHANGED', identityStatus: 'PENDING' })
    await stream.end()
  })

  it('is refused for nobody, for a site that there is not, and without the right', async () => {
    const { email } = await openedUpload(network)
    const at = { email, currency: 'AUD' }
    expect(await refusal({ ...at, email: 'nobody@example.test' })).toBe('NOT_FOUND')
    expect(await refusal({ email })).toBe('BAD_USER_INPUT')
    expect(await refusal({ ...at, currency: 'XXX' })).toBe('BAD_USER_INPUT')
    expect(await refusal({ ...at, site: 'krw' })).toBe('BAD_USER_INPUT')
    expect(await refusal(at, { token: null })).toBe('UNAUTHENTICATED')
    const token = await network.token({ scopes: ['payments:read', 'customers:write', 'customers:pii'] })
    expect(await refusal(at, { token })).toBe('FORBIDDEN')
  })

  it('is refused while the payments API is away, and told once it is back', async () => {
    const { email } = await openedUpload(network)
    network.sandbox.control.addFault({ method: 'GET', path: DETAIL, answer: { status: 422, body: {} }, times: 1 })
    expect(await refusal({ email, currency: 'AUD' })).toBe('NOT_FOUND')
    network.sandbox.control.addFault({ method: 'GET', path: DETAIL, answer: { status: 503 }, times: 9 })
    expect(await refusal({ email, currency: 'AUD' })).toBe('UPSTREAM_UNAVAILABLE')
    network.sandbox.control.clearFaults()
    const other = await openedUpload(network)
    const stream = await follow({ email: other.email, currency: 'AUD' })
    expect(await stream.next()).toMatchObject({ kind: 'SNAPSHOT' })
    await stream.end()
  })

  it('ends with the token', async () => {
    const { email } = await openedUpload(network)
    const token = await network.token({ ttlSeconds: 2 })
    const stream = await follow({ email, currency: 'AUD' }, { token })
    await stream.next()
    expect(await stream.next().catch(() => null)).toBeNull()
    await stream.closed
  })

  it('leaves nothing that names the contact, neither in the log nor in the database', async () => {
    const { email } = await openedUpload(network)
    const stream = await follow({ email, currency: 'AUD' })
    await stream.next()
    expect(network.log()).not.toContain(email)
    const db = new DatabaseSync(join(network.folder, 'payments.db'), { readOnly: true })
    const rows = db.prepare('SELECT * FROM identity_watches').all()
    db.close()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toMatch(/@|example/)
    await stream.end()
  })
})

it('the state of an identity check comes to a router by callbacks, with their end', async () => {
  const router = await startCallbackRouter()
  const env = { CALLBACK_ORIGINS: router.origin, ROUTER_SECRETS: 'secret-of-the-router-1' }
  const behind = await startNetwork({ sandbox: BY_HAND, env })
  const { email, url } = await openedUpload(behind)
  const id = randomUUID()
  const subscription = {
    callbackUrl: `${router.origin}/callback/${id}`,
    subscriptionId: id,
    verifier: 'v',
    heartbeatIntervalMs: 0,
  }
  await fetch(`${behind.app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json;callbackSpec=1.0',
      authorization: `Bearer ${await behind.token()}`,
      'x-router-secret': 'secret-of-the-router-1',
    },
    body: JSON.stringify({
      query: CONTACT_UPDATES,
      variables: { email, currency: 'AUD' },
      extensions: { subscription },
    }),
  })
  const items = () => router.told.flatMap(({ payload }) => payload?.data?.['paymentContactUpdates'] ?? [])
  await expect.poll(items).toMatchObject([{ kind: 'SNAPSHOT', identityStatus: 'NOT_SUBMITTED' }])
  await upload(url)
  await expect.poll(items).toMatchObject([{}, { kind: 'CHANGED', identityStatus: 'PENDING' }])
  await behind.sandbox.control.advance((2 * BY_HAND.paceMs) / 1000)
  await expect.poll(() => router.told.at(-1)?.action).toBe('complete')
  expect(items().at(-1)).toMatchObject({ kind: 'CHANGED', identityStatus: 'APPROVED' })
  await behind.close()
  await router.close()
})

describe.skipIf(server === null)('two nodes on one database', () => {
  it('tell a change at both, and read it once', async () => {
    const database = await server?.createDatabase({ migrated: true })
    const env = { DATABASE_URL: database?.url ?? '' }
    const first = await startNetwork({ sandbox: BY_HAND, env })
    const second = await startNetwork({ env, upstreamUrl: first.sandbox.url })
    const { email, url } = await openedUpload(first)
    const before = asked(first, 'GET', DETAIL)
    const streams = [
      await first.follow(CONTACT_UPDATES, { email, currency: 'AUD' }),
      await second.follow(CONTACT_UPDATES, { email, currency: 'AUD' }),
    ]
    const all = async () => Promise.all(streams.map((stream) => stream.next()))
    expect(await all()).toEqual([told('SNAPSHOT', 'NOT_SUBMITTED', 0), told('SNAPSHOT', 'NOT_SUBMITTED', 0)])
    expect(asked(first, 'GET', DETAIL) - before).toBe(1)
    const pending = all()
    await upload(url)
    expect(await pending).toEqual([told('CHANGED', 'PENDING', 1), told('CHANGED', 'PENDING', 1)])
    const decided = all()
    await first.sandbox.control.advance((2 * BY_HAND.paceMs) / 1000)
    expect(await decided).toMatchObject([{ identityStatus: 'APPROVED' }, { identityStatus: 'APPROVED' }])
    expect(await all()).toEqual([null, null])
    await second.close()
    await first.close()
    await database?.drop()
  })
})
