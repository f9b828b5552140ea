import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { frame, OPCODE, openRawPeer, type RawPeerOptions, textFrame } from '../support/raw-websocket.ts'
import { greetedSocket, openSocket, type RawSocketOptions } from '../support/socket.ts'
import { isCaughtUp } from '../support/streams.ts'

const LISTED_ORIGIN = 'https://shop.example.test'

let network: Network
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork({ env: { ALLOWED_ORIGINS: `${LISTED_ORIGIN},capacitor://localhost` } })
  link = await createLink(network)
})
afterAll(() => network.close())

const READER = { scopes: ['payments:read'] } as const

// promise(sockets): Upgrade requests from origins that are not in `ALLOWED_ORIGINS` are refused.
describe('the token of a socket', () => {
  it.each<[string, (token: string) => Parameters<Network['follow']>[2]]>([
    ['connectionParams.authorization', (token) => ({ connectionParams: { authorization: `Bearer ${token}` } })],
    ['connectionParams.Authorization', (token) => ({ connectionParams: { Authorization: `Bearer ${token}` } })],
    ['connectionParams.authorization, bare', (token) => ({ connectionParams: { authorization: token } })],
    ['connectionParams.token', (token) => ({ connectionParams: { token } })],
    ['connectionParams.token, with the scheme', (token) => ({ connectionParams: { token: `Bearer ${token}` } })],
    ['the upgrade', (token) => ({ token: null, headers: { authorization: `Bearer ${token}` } })],
  ])('may be in %s', async (_where, options) => {
    const stream = await network.follow(LINK_UPDATES, { id: link.id }, options(await network.token(READER)))
    expect((await stream.until(isCaughtUp)).map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
    await stream.end()
  })

  it.each(['nonsense', 'a.b.c', 'Basic dXNlcjpwYXNz'])(
    'that is bad (%s) closes it with 4403',
    async (authorization) => {
      const stream = await network.follow(LINK_UPDATES, { id: link.id }, { connectionParams: { authorization } })
      await expect(stream.next()).rejects.toMatchObject({ code: 4403 })
      expect((await stream.closed).code).toBe(4403)
    },
  )

  it('that has expired closes it with 4403', async () => {
    const token = await network.token({ ttlSeconds: -1 })
    const stream = await network.follow(LINK_UPDATES, { id: link.id }, { token })
    await expect(stream.next()).rejects.toMatchObject({ code: 4403 })
  })
})

describe('the origin of a socket', () => {
  it.each([
    'https://evil.example.test',
    `${LISTED_ORIGIN}.evil.test`,
    'null',
    '',
    `https://evil.example.test, ${LISTED_ORIGIN}`,
  ])('%s is refused at the upgrade', async (origin) => {
    await expect(openSocket(network.app.url, { headers: { origin } })).rejects.toMatchObject({ status: 403 })
  })

  it.each([
    ['two, the first of them listed', [LISTED_ORIGIN, 'https://evil.example.test']],
    ['two, the last of them listed', ['https://evil.example.test', LISTED_ORIGIN]],
    ['one twice', [LISTED_ORIGIN, LISTED_ORIGIN]],
  ])('%s is refused: several headers', async (_what, origins) => {
    const headers = origins.map((origin) => ['Origin', origin] as const)
    await expect(openRawPeer(network.app.url, { headers })).rejects.toMatchObject({ status: 403 })
  })

  it.each(['pay.example.test:8443', 'pay.example.test.', 'PAY.example.test', 'evil.example.test'])(
    'that is not the address of the request (%s) is refused',
    async (host) => {
      const headers = [
        ['Host', host],
        ['Origin', 'https://pay.example.test'],
      ] as const
      await expect(openRawPeer(network.app.url, { headers })).rejects.toMatchObject({ status: 403 })
    },
  )

  it('is asked for, whatever else the request brings: a cookie, or a good token', async () => {
    const token = await network.token()
    for (const [name, value] of [
      ['Cookie', `token=${token}`],
      ['Authorization', `Bearer ${token}`],
    ] as const) {
      const headers = [
        ['Origin', 'https://evil.example.test'],
        [name, value],
      ] as const
      await expect(openRawPeer(network.app.url, { headers })).rejects.toMatchObject({ status: 403 })
    }
  })

  it('that is right gives no rights to a cookie', async () => {
    const cookie = `token=${await network.token()}; authorization=Bearer ${await network.token()}`
    const socket = await greetedSocket(network.app.url, {}, { headers: { origin: LISTED_ORIGIN, cookie } })
    socket.send({ id: '1', type: 'subscribe', payload: { query: LINK_UPDATES, variables: { id: link.id } } })
    expect(await socket.next()).toMatchObject({
      payload: { errors: [{ extensions: { code: 'NOT_FOUND' } }] },
    })
    socket.close()
  })

  it.each<[string, () => RawSocketOptions]>([
    ['a listed one', () => ({ headers: { origin: LISTED_ORIGIN } })],
    ['that of an app', () => ({ headers: { origin: 'capacitor://localhost' } })],
    ['our own', () => ({ headers: { origin: network.app.url } })],
    ['none, as programs have it', () => ({})],
  ])('%s is accepted', async (_what, options) => {
    const socket = await greetedSocket(network.app.url, {}, options())
    socket.close()
    expect((await socket.closed).code).toBe(1005)
  })
})

const WITHOUT_OWN_SOCKETS = 'compiledExecutor,publicAnswers,sharedExecutions,recentRows'
const QUERY = { query: '{ payments { nodes { id } } }' }

type Habit = {
  readonly upgrade?: RawPeerOptions
  readonly init?: (token: string) => object
  /** What is sent after the acknowledgement. */
  readonly frame?: Buffer
}
const asked = (payload: object = {}, message: object = {}) => ({
  frame: textFrame({ id: '1', type: 'subscribe', payload: { ...QUERY, ...payload }, ...message }),
})
const upgraded = (name: string, value: string) => ({ upgrade: { headers: [[name, value] as const] } })

const ACCEPTED: readonly (readonly [name: string, habit: Habit])[] = [
  ['a query string in the address', { upgrade: { path: '/graphql?client=app' } }],
  ['a slash at the end of the address', { upgrade: { path: '/graphql/?client=app' } }],
  ['subprotocols before ours', upgraded('Sec-WebSocket-Protocol', 'graphql-ws, mqtt,graphql-transport-ws')],
  [
    'extensions that are not served',
    upgraded('Sec-WebSocket-Extensions', 'permessage-deflate; client_max_window_bits'),
  ],
  ['the spelling of proxies', upgraded('Connection', 'keep-alive, upgrade')],
  ['a name of the token in capitals', { init: (token) => ({ AUTHORIZATION: `bearer ${token}` }) }],
  ['the token below headers', { init: (token) => ({ headers: { Authorization: `Bearer ${token}` } }) }],
  ['the token as authToken', { init: (authToken) => ({ authToken }) }],
  ['an empty name of the operation', asked({ operationName: '' })],
  ['nulls', asked({ operationName: null, variables: null, extensions: null, documentId: null })],
  ['members that nobody knows', asked({ key: 7, onError: 'PROPAGATE' }, { extra: {} })],
  ['a binary frame', { frame: frame(OPCODE.binary, JSON.stringify({ id: '1', type: 'subscribe', payload: QUERY })) }],
]

/** The rows of the table in docs/clients.md, with the code of the close frame or the status of the upgrade. */
const REFUSED: readonly (readonly [name: string, code: number, habit: Habit])[] = [
  ['a path in other letters', 404, { upgrade: { path: '/GraphQL' } }],
  ['a subprotocol twice', 400, upgraded('Sec-WebSocket-Protocol', 'graphql-transport-ws, graphql-transport-ws')],
  ['a subprotocol in other letters', 4406, upgraded('Sec-WebSocket-Protocol', 'GraphQL-Transport-WS')],
  ['another scheme', 4403, { ...upgraded('Authorization', 'Basic dXNlcjpwYXNz'), init: () => ({}) }],
  ['a scheme without a token', 4403, { init: () => ({ authorization: 'Bearer ' }) }],
  ['the id of an operation as a number', 4400, asked({}, { id: 1 })],
  ['variables as a list', 4400, asked({ variables: [] })],
  ['messages of subscriptions-transport-ws', 4400, { frame: textFrame({ type: 'connection_terminate' }) }],
]

describe.each([
  ['graphql-sockets', 'all'],
  ['graphql-ws', WITHOUT_OWN_SOCKETS],
])('habits of clients, with %s', (_server, SHORTCUTS) => {
  let app: Network
  beforeAll(async () => void (app = await startNetwork({ env: { SHORTCUTS } })))
  afterAll(() => app.close())

  /** Returns the answer of a peer with a habit, or the code with which it is refused. */
  async function answerOf({ upgrade, init = (token) => ({ token }), frame: sent = asked().frame }: Habit) {
    const peer = await openRawPeer(app.app.url, upgrade).catch(({ status }: { status: number }) => status)
    if (typeof peer === 'number') return peer
    const payload = init(await app.token(READER))
    peer.write(textFrame({ type: 'connection_init', payload }))
    const acknowledged = await Promise.race([peer.next(), peer.closed])
    if (typeof acknowledged === 'object') peer.write(sent)
    const answer = await Promise.race([peer.next(), peer.closed])
    peer.connection.destroy()
    return answer !== null && typeof answer === 'object' ? (JSON.parse(answer.payload.toString()) as unknown) : answer
  }

  it.each(ACCEPTED)('%s is accepted', async (_what, habit) => {
    expect(await answerOf(habit)).toEqual({ id: '1', type: 'next', payload: { data: { payments: { nodes: [] } } } })
  })

  it.each(REFUSED)('%s is refused with %i', async (_what, code, habit) => {
    expect(await answerOf(habit)).toBe(code)
  })
})

it('a socket at another address is refused', async () => {
  await expect(openSocket(`${network.app.url}/elsewhere`)).rejects.toMatchObject({ status: 404 })
})
