import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startJwksServer, type JwksServer } from '../e2e/access/jwks-server.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { greetedSocket, openSocket } from '../support/socket.ts'
import { CLAIMS, hsToken, issuerKey, rsToken, unsigned } from '../unit/access/tokens.ts'

const KEY = issuerKey('key-1')
/** A key of the attacker. */
const OWN_KEY = issuerKey('key-1')
const VALID = rsToken(KEY)
const [HEADER = '', PAYLOAD = '', SIGNATURE = ''] = VALID.split('.')

/** Tokens that are not valid. `lure` is a URL under the attacker's control that must not be called. */
const ATTACKS: Readonly<Record<string, (lure: string) => string>> = {
  'alg none over a right signature': () => `${unsigned({ alg: 'none', kid: 'key-1' }, CLAIMS)}.${SIGNATURE}`,
  'alg none and no signature': () => `${unsigned({ alg: 'none' }, CLAIMS)}.`,
  'HS256 with the public key as secret': () => hsToken(KEY.publicPem, CLAIMS, { alg: 'HS256', kid: 'key-1' }),
  'HS512 with the public key as secret': () => {
    const text = unsigned({ alg: 'HS512', kid: 'key-1' }, CLAIMS)
    return `${text}.${createHmac('sha512', KEY.publicPem).update(text).digest('base64url')}`
  },
  'a key that it brings along': () => rsToken(OWN_KEY, CLAIMS, { jwk: OWN_KEY.jwk }),
  'the address of a set of keys': (lure) => rsToken(OWN_KEY, CLAIMS, { kid: lure, jku: lure, x5u: lure }),
  'another iss': () => rsToken(KEY, { ...CLAIMS, iss: 'other' }),
  'another aud': () => rsToken(KEY, { ...CLAIMS, aud: ['other', 'payments2'] }),
  'no exp': () => rsToken(KEY, { ...CLAIMS, exp: undefined }),
  'exp twice': () => rsToken(KEY, JSON.stringify(CLAIMS).replace('{', '{"exp":1,')),
  'typ of a proof': () => rsToken(KEY, CLAIMS, { typ: 'dpop+jwt' }),
  'a critical header': () => rsToken(KEY, CLAIMS, { crit: ['b64'], b64: false }),
  'kid as SQL': () => rsToken(KEY, CLAIMS, { kid: "key-1' UNION SELECT 'secret' --" }),
  'the signature of other claims': () => `${HEADER}.${PAYLOAD}.${rsToken(KEY, {}).split('.')[2]}`,
  padding: () => `${VALID}==`,
  'four parts': () => `${VALID}.${SIGNATURE}`,
  'more than 8 KiB': () => rsToken(KEY, { ...CLAIMS, padding: 'x'.repeat(6_200) }),
  'one word': () => 'token',
}

const QUERY = '{ payments { nodes { id } } }'
const INVALID = { errors: [{ message: 'The token is not valid.', extensions: { code: 'UNAUTHENTICATED' } }] }
const EARLY = { errors: [{ message: 'The token is not valid yet.', extensions: { code: 'UNAUTHENTICATED' } }] }
const OVER = { errors: [{ message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } }] }
const REFUSED = { code: 4403, reason: 'Forbidden', said: [] }
const GIVEN = { data: { payments: { nodes: [] } } }

let issuer: JwksServer
let attacker: JwksServer
let network: Network
beforeAll(async () => {
  issuer = await startJwksServer()
  issuer.publish(KEY.jwk)
  attacker = await startJwksServer()
  network = await startNetwork({
    env: { JWT_SECRETS: '', JWT_JWKS_URL: issuer.url, JWT_ISSUER: 'issuer', JWT_AUDIENCE: 'payments' },
  })
})
afterAll(async () => {
  await network.close()
  await Promise.all([issuer.close(), attacker.close()])
})

/** Returns the answer to a query with these values of the Authorization header, unchanged. */
async function answerTo(authorization: string | readonly string[], search = '') {
  const headers = { 'content-type': 'application/json' }
  const asking = request(`${network.app.url}/graphql${search}`, { method: 'POST', headers })
  asking.setHeader('authorization', authorization)
  asking.end(JSON.stringify({ query: QUERY }))
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  const body: unknown = JSON.parse((await response.toArray()).join(''))
  return { status: response.statusCode, body }
}

/** Returns how a socket with these connection parameters or upgrade headers ends, and what the server sent before. */
async function endOfSocket(payload: Record<string, unknown>, headers: Record<string, string> = {}) {
  const socket = await openSocket(network.app.url, { headers })
  socket.send({ type: 'connection_init', payload })
  const { code, reason } = await socket.closed
  return { code, reason, said: socket.waiting }
}

/** Returns a socket's answer to the query. */
async function answerOnSocket(payload: Record<string, unknown>, url = network.app.url): Promise<unknown> {
  const socket = await greetedSocket(url, payload)
  socket.send({ id: '1', type: 'subscribe', payload: { query: QUERY } })
  const answer = await socket.next()
  socket.close()
  return answer.payload
}

// promise(authentication): Tokens are verified as RFC 8725 advises: the server chooses algorithms and keys, and `exp`
// is required.
describe('a token', () => {
  it.each(Object.entries(ATTACKS))(
    'with %s is refused in the same words as any other, over HTTP and on a socket',
    async (_name, make) => {
      const token = make(attacker.url)
      expect(await answerTo(`Bearer ${token}`)).toEqual({ status: 401, body: INVALID })
      expect(await endOfSocket({ authorization: `Bearer ${token}` })).toEqual(REFUSED)
      expect(await endOfSocket({ token })).toEqual(REFUSED)
      expect(await endOfSocket({}, { authorization: `Bearer ${token}` })).toEqual(REFUSED)
    },
  )

  it.each([
    ['has expired', { exp: Math.floor(Date.now() / 1000) - 1 }, OVER],
    ['is valid far in the future', { nbf: 1e300 }, EARLY],
  ])('that %s is told so over HTTP, and not on a socket', async (_name, claims, body) => {
    const token = rsToken(KEY, { ...CLAIMS, ...claims })
    expect(await answerTo(`Bearer ${token}`)).toEqual({ status: 401, body })
    expect(await endOfSocket({ token })).toEqual(REFUSED)
  })

  it('leaves nothing of itself in the log, and has keys fetched once, from the issuer alone', async () => {
    for (const make of Object.values(ATTACKS)) await answerTo(`Bearer ${make(attacker.url)}`)
    expect(await answerTo(`Bearer ${VALID}`)).toEqual({ status: 200, body: GIVEN })
    expect(await answerOnSocket({ token: VALID })).toEqual(GIVEN)
    expect([issuer.fetches, attacker.fetches]).toEqual([1, 0])
    expect(network.log()).toContain('A client token was refused.')
    for (const text of [HEADER, PAYLOAD, SIGNATURE, 'shop-1', 'dpop', 'UNION', 'payments2', attacker.url])
      expect(network.log()).not.toContain(text)
  })

  it('gives no rights but ours', async () => {
    for (const scope of ['openid profile', 'payments:*', 'Payments:Read', 'payments:read,payments:write', '']) {
      const token = rsToken(KEY, { ...CLAIMS, scope })
      const { errors } = await network.ask('{ webhookDeliveries { nodes { id } } }', {}, { token })
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    }
  })
})
