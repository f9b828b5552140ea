import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callbackAuthorization, issueStatusToken } from '../../src/keys/derived-secrets.ts'
import { createKeyRing, type KeyPurpose, Secret } from '../../src/keys/key-ring.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { greetedSocket, openSocket } from '../support/socket.ts'
import type { StreamError } from '../support/stream.ts'
import { paidStream, PAYMENT_UPDATES } from '../support/streams.ts'

const OTHER_KEY = 'signing-key-of-another-app-0123456789abcdef'
const PAYMENT = 'query P($id: ID!, $statusToken: String) { payment(id: $id, statusToken: $statusToken) { id } }'
const YEAR_MS = 365 * 86_400_000

/** Environment of the app; tests can change the signing keys and restart the app. */
const env: Record<string, string> = { SIGNING_KEYS: SECRETS.signing }

let network: Network
let link: CreatedLink
let other: CreatedLink
let paymentId: string
let cursor: string
beforeAll(async () => {
  network = await startNetwork({ env })
  const paid = await paidStream(network)
  link = paid.link
  paymentId = paid.paymentId
  cursor = paid.items.at(-1)?.cursor ?? ''
  other = await createLink(network)
})
afterAll(() => network.close())

const ringOf = (key: string) => createKeyRing([new Secret(key)])
const issued = (subjectId: string, { key = SECRETS.signing, inMs = YEAR_MS } = {}) =>
  issueStatusToken(ringOf(key), { subjectId, expiresAt: new Date(Date.now() + inMs) })

/** Returns the token's payload, signed with a key derived for another purpose. */
function signedFor(purpose: KeyPurpose): string {
  const [version, , body] = link.statusToken.split('.')
  const [{ id, key }] = ringOf(SECRETS.signing).subKeys(purpose)
  const mac = createHmac('sha256', key).update(`${id}.${body}`, 'utf8').digest().subarray(0, 16)
  return [version, id, body, mac.toString('base64url')].join('.')
}

/** Returns the token with one of its four parts taken from another valid token. */
function mixed(part: number): string {
  const foreign = other.statusToken.split('.')
  return link.statusToken
    .split('.')
    .map((own, index) => (index === part ? foreign[index] : own))
    .join('.')
}

const WRONG: readonly (readonly [name: string, make: () => string | Promise<string>])[] = [
  ['the subject of another link', () => other.statusToken],
  ['the signature of another link', () => mixed(3)],
  ['a year to go, of a link that is not there', () => issued(randomUUID())],
  ['a subject that only begins alike', () => issued(`${link.id}x`)],
  ['a millisecond less than nothing to go', () => issued(link.id, { inMs: -1 })],
  ['the key of another app', () => issued(link.id, { key: OTHER_KEY })],
  ['no signature', () => link.statusToken.replace(/[^.]*$/, '')],
  ['the key of callbacks', () => signedFor('callback authorization')],
  ['a cursor in its place', () => cursor],
  ['a callback secret in its place', () => callbackAuthorization(ringOf(SECRETS.signing), 'payment', link.id).slice(7)],
  ['a client token without rights in its place', () => network.token({ scopes: [], subject: 'stranger' })],
]

/** Returns everything that a status token gives access to, over both transports, for an anonymous caller. */
async function opened(statusToken: unknown) {
  const seen: unknown[] = []
  for (const [query, id] of [
    [LINK, link.id],
    [PAYMENT, paymentId],
  ] as const) {
    const { data, errors } = await network.ask(query, { id, statusToken }, { token: null })
    seen.push(errors ?? Object.values(data)[0])
    const socket = await greetedSocket(network.app.url)
    socket.send({ id: '1', type: 'subscribe', payload: { query, variables: { id, statusToken } } })
    const { payload } = (await socket.next()) as { payload: { data: object } }
    seen.push(Object.values(payload.data)[0])
    socket.close()
  }
  for (const [query, id] of [
    [LINK_UPDATES, link.id],
    [PAYMENT_UPDATES, paymentId],
  ] as const) {
    const stream = await network.follow(query, { id, statusToken }, { token: null })
    seen.push(await stream.next().catch((error: StreamError) => error.errors[0]?.extensions?.['code']))
    await stream.end()
  }
  return seen
}

const NOTHING = [null, null, null, null, 'NOT_FOUND', 'NOT_FOUND']
const everything = () => [
  ...[link.id, link.id, paymentId, paymentId].map((id) => ({ id })),
  { kind: 'SNAPSHOT' },
  { kind: 'SNAPSHOT' },
]

// promise(authentication): Status tokens are signed, bound to one link, and expire.
describe('a status token', () => {
  it('opens its link and the payment of its link, over HTTP and on a socket', async () => {
    expect(await opened(link.statusToken)).toMatchObject(everything())
    expect(await opened(issued(link.id))).toMatchObject(everything())
  })

  it.each(WRONG)('with %s opens nothing', async (_name, make) => {
    expect(await opened(await make())).toEqual(NOTHING)
  })

  it('of a payment opens that payment and not its link', async () => {
    const seen = await opened(issued(paymentId))
    expect(seen).toMatchObject([null, null, { id: paymentId }, { id: paymentId }, 'NOT_FOUND', { kind: 'SNAPSHOT' }])
  })

  it('gives no right beside reading: neither lists, nor events of others, nor what is guarded', async () => {
    const guarded = `query G($id: ID!, $statusToken: String) {
      paymentLink(id: $id, statusToken: $statusToken) { id statusToken payment { payer { name } } }
      payments { nodes { id } }
    }`
    const { statusToken } = link
    const { errors = [] } = await network.ask(guarded, { id: link.id, statusToken }, { token: null })
    expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(errors.map(() => 'UNAUTHENTICATED'))
    expect(errors).toHaveLength(3)
  })
})

describe('a status token for another purpose', () => {
  it('is no token of a client', async () => {
    expect(await network.ask(LINK, { id: link.id }, { token: link.statusToken })).toMatchObject({
      status: 401,
      errors: [{ message: 'The token is not valid.', extensions: { code: 'UNAUTHENTICATED' } }],
    })
    for (const payload of [{ token: link.statusToken }, { authorization: `Bearer ${link.statusToken}` }]) {
      const socket = await openSocket(network.app.url)
      socket.send({ type: 'connection_init', payload })
      expect((await socket.closed).code).toBe(4403)
    }
    const silent = await greetedSocket(network.app.url, { statusToken: link.statusToken })
    silent.send({ id: '1', type: 'subscribe', payload: { query: LINK, variables: { id: link.id } } })
    expect((await silent.next()).payload).toEqual({ data: { paymentLink: null } })
    silent.close()
  })

  it('is no cursor', async () => {
    const stream = await network.follow(LINK_UPDATES, { id: link.id, after: link.statusToken })
    expect(await stream.next()).toMatchObject({ kind: 'RESYNC_REQUIRED' })
    await stream.end()
    const page = 'query P($after: String) { paymentLinks(after: $after) { nodes { id } } }'
    const { errors } = await network.ask(page, { after: link.statusToken })
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'after' } }])
  })

  it('is no authorization of a webhook', async () => {
    const response = await fetch(`${network.app.url}/webhooks/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${link.statusToken}` },
      body: '{}',
    })
    expect(response.status).toBe(401)
  })
})

describe('the keys of status tokens', () => {
  it('are changed without a gap: what the old key signed holds as long as the key is listed', async () => {
    env['SIGNING_KEYS'] = `${OTHER_KEY},${SECRETS.signing}`
    await network.restart()
    expect(await opened(link.statusToken)).toMatchObject(everything())
    expect(await opened(issued(link.id, { key: OTHER_KEY }))).toMatchObject(everything())
    env['SIGNING_KEYS'] = OTHER_KEY
    await network.restart()
    expect(await opened(link.statusToken)).toEqual(NOTHING)
    const fresh = await network.ask<{ paymentLink: { statusToken: string } }>(
      'query T($id: ID!) { paymentLink(id: $id) { statusToken } }',
      { id: link.id },
    )
    expect(await opened(fresh.data.paymentLink.statusToken)).toMatchObject(everything())
    env['SIGNING_KEYS'] = SECRETS.signing
    await network.restart()
    expect(await opened(link.statusToken)).toMatchObject(everything())
  })
})
