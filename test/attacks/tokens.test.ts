import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startJwksServer, type JwksServer } from '../e2e/access/jwks-server.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { greetedSocket, openSocket } from '../support/socket.ts'
import { CLAIMS, rsToken } from '../unit/access/tokens.ts'
import { ATTACKS, EC_KEY, EXPIRED, GOOD, KEY, valid } from './tokens.ts'

const QUERY = '{ payments { nodes { id } } }'
const INVALID = { errors: [{ message: 'The token is not valid.', extensions: { code: 'UNAUTHENTICATED' } }] }
const OVER = { errors: [{ message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } }] }

let issuer: JwksServer
let attacker: JwksServer
let network: Network
beforeAll(async () => {
  issuer = await startJwksServer()
  issuer.publish(KEY.jwk, EC_KEY.jwk)
  attacker = await startJwksServer()
  network = await startNetwork({
    env: { JWT_SECRET: '', JWT_JWKS_URL: issuer.url, JWT_ISSUER: 'issuer', JWT_AUDIENCE: 'payments' },
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

const REFUSED = { code: 4403, reason: 'Forbidden', said: [] }

/** Returns a socket's answer to the query. */
async function answerOnSocket(payload: Record<string, unknown>, url = network.app.url): Promise<unknown> {
  const socket = await greetedSocket(url, payload)
  socket.send({ id: '1', type: 'subscribe', payload: { query: QUERY } })
  const answer = await socket.next()
  socket.close()
  return answer.payload
}

const GIVEN = { data: { payments: { nodes: [] } } }

// promise(authentication): Tokens are verified as RFC 8725 advises: the server chooses algorithms and keys, and `exp`
// is required.
describe.each(ATTACKS)('a token with %s', (_name, make) => {
  it('is refused in the same words as any other, over HTTP and on a socket', async () => {
    const token = make(attacker.url)
    expect(await answerTo(`Bearer ${token}`)).toEqual({ status: 401, body: INVALID })
    expect(await endOfSocket({ authorization: `Bearer ${token}` })).toEqual(REFUSED)
    expect(await endOfSocket({ token })).toEqual(REFUSED)
    expect(await endOfSocket({}, { authorization: `Bearer ${token}` })).toEqual(REFUSED)
  })
})

describe.each(EXPIRED)('a token with %s', (_name, make) => {
  it('has expired, over HTTP and on a socket', async () => {
    expect(await answerTo(`Bearer ${make('')}`)).toEqual({ status: 401, body: OVER })
    expect(await endOfSocket({ token: make('') })).toEqual(REFUSED)
  })
})

describe.each(GOOD)('a token with %s', (_name, make) => {
  it('is accepted, over HTTP and on a socket', async () => {
    expect(await answerTo(`Bearer ${make('')}`)).toEqual({ status: 200, body: GIVEN })
    expect(await answerOnSocket({ token: make('') })).toEqual(GIVEN)
  })
})

describe('all those tokens', () => {
  it('leave nothing of themselves in the log, fetch the keys once, and nothing from elsewhere', async () => {
    for (const [, make] of ATTACKS) await answerTo(`Bearer ${make(attacker.url)}`)
    const known = valid()
    await answerTo(`Bearer ${known}`)
    expect(issuer.fetches).toBe(1)
    expect(attacker.fetches).toBe(0)
    expect(network.log()).toContain('A client token was refused.')
    const [header = '', claims = '', signature = ''] = known.split('.')
    for (const text of [header, claims, signature, 'shop-1', 'dpop', 'UNION', 'payments2', '169.254', attacker.url])
      expect(network.log()).not.toContain(text)
  })
})

describe('the header of a token', () => {
  it.each(['Bearer T', 'bearer T', 'BEARER T', 'Bearer   T'])('may be %j', async (form) => {
    expect(await answerTo(form.replace('T', valid()))).toEqual({ status: 200, body: GIVEN })
  })

  it.each<readonly string[]>([
    ['T'],
    ['BearerT'],
    ['Bearer'],
    [''],
    ['Bearer\tT'],
    ['Bearer "T"'],
    ['Bearer: T'],
    ['Bearer,T'],
    ['Bearer T,'],
    ['Bearer T T'],
    ['Bearer T, Bearer T'],
    ['Bearer Bearer T'],
    ['Bearer token=T'],
    ['Basic T'],
    ['JWT T'],
    ['DPoP T'],
    ['Bearer T', 'Bearer T'],
    ['Bearer T', 'Bearer other'],
    ['Bearer other', 'Bearer T'],
    ['', 'Bearer T'],
  ])('may not be %j, %j', async (...lines) => {
    const header = lines.map((line) => line.replaceAll('T', valid()))
    expect(await answerTo(header)).toEqual({ status: 401, body: INVALID })
  })

  it('decides on a socket where the parameters are silent, and is not asked otherwise', async () => {
    expect(await endOfSocket({}, { authorization: 'Basic dXNlcjpwYXNz' })).toEqual(REFUSED)
    expect(await endOfSocket({ token: 'a.b.c' }, { authorization: `Bearer ${valid()}` })).toEqual(REFUSED)
    expect(await endOfSocket({ authorization: `Bearer ${valid()}, Bearer ${valid()}` })).toEqual(REFUSED)
    expect(await endOfSocket({ token: ` ${valid()}` })).toEqual(REFUSED)
    expect(await endOfSocket({ token: `${valid()}\n` })).toEqual(REFUSED)
  })
})

describe('a token in the wrong place', () => {
  const nobody = async () => (await network.ask(QUERY, {}, { token: null })).errors

  it.each(['access_token', 'authorization', 'token', 'jwt', 'bearer'])(
    'is not read: the parameter %s of the address',
    async (name) => {
      const search = `?${name}=${valid()}`
      const response = await fetch(`${network.app.url}/graphql${search}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: QUERY }),
      })
      expect(await response.json()).toMatchObject({ errors: await nobody() })
      const got = await fetch(`${network.app.url}/graphql${search}&query=${encodeURIComponent(QUERY)}`, {
        headers: { 'apollo-require-preflight': 'true' },
      })
      expect(await got.json()).toMatchObject({ errors: await nobody() })
      expect(await answerTo('Bearer a.b.c', search)).toEqual({ status: 401, body: INVALID })
      const upgraded = await answerOnSocket({}, `${network.app.url}/graphql${search}&rest=`)
      expect(upgraded).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    },
  )

  it('is not read: cookies, other headers, the body, and other parameters of a socket', async () => {
    const token = valid()
    const headers = { cookie: `token=${token}`, 'x-authorization': `Bearer ${token}`, 'proxy-authorization': token }
    expect((await network.ask(QUERY, {}, { token: null, headers })).errors).toEqual(await nobody())
    const response = await fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: QUERY, token, authorization: token, extensions: { token, authorization: token } }),
    })
    expect(await response.json()).toMatchObject({ errors: await nobody() })
    const unread = { jwt: token, headers: { authorization: `Bearer ${token}` }, AUTHORIZATION: `Bearer ${token}` }
    expect(await answerOnSocket(unread)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
  })
})

describe('rights that are not ours', () => {
  it.each(['openid profile', 'payments:*', 'Payments:Read', 'payments:read,payments:write', 'payments', ''])(
    'give none: %j',
    async (scope) => {
      const token = rsToken(KEY, { ...CLAIMS, scope })
      const { errors } = await network.ask(QUERY, {}, { token })
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
      expect(await answerOnSocket({ token })).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] })
    },
  )
})
