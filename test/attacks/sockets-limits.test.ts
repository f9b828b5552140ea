import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { openRawPeer } from '../support/raw-websocket.ts'
import { greetedSocket, openSocket, type RawSocket } from '../support/socket.ts'
import { gauge } from '../support/streams.ts'

let network: Network
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork({ env: { TRUST_PROXY: '127.0.0.1', SOCKET_LIMITS: 'perAddress=2,perSubject=2' } })
  link = await createLink(network)
})
afterAll(() => network.close())

const subscribe = (id: string) => ({
  id,
  type: 'subscribe',
  payload: { query: LINK_UPDATES, variables: { id: link.id } },
})
const openStreams = () => gauge(network, 'payments_streams_open')

// promise(sockets): A WebSocket has limits of time, size, rate, streams and unsent bytes (`SOCKET_LIMITS`).
describe('the operations of one socket', () => {
  it('may be 20 streams; the next is refused by itself, and the others go on', async () => {
    const socket = await greeted()
    const ids = Array.from({ length: 20 }, (_, index) => String(index))
    for (const id of ids) {
      socket.send(subscribe(id))
      await untilCaughtUp(socket, id)
    }
    socket.send(subscribe('one too many'))
    expect(await socket.next()).toMatchObject({
      id: 'one too many',
      type: 'error',
      payload: [{ extensions: { code: 'TOO_MANY_OPERATIONS' } }],
    })
    // A query is not a stream, and is answered in addition to them.
    socket.send({ id: 'question', type: 'subscribe', payload: { query: '{ __typename }' } })
    expect(await socket.next()).toMatchObject({ id: 'question', type: 'next' })
    expect(await socket.next()).toEqual({ id: 'question', type: 'complete' })

    socket.send({ id: '7', type: 'complete' })
    await expect.poll(openStreams).toBe(19)
    socket.send(subscribe('instead'))
    await untilCaughtUp(socket, 'instead')

    await network.sandbox.control.setStatus(link.id, 'pending')
    const told = await Promise.all(ids.map(() => socket.next()))
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set([...ids.filter((id) => id !== '7'), 'instead']))
    socket.close()
    await expect.poll(openStreams).toBe(0)
  })
})

describe('the sockets of one subject', () => {
  it('may be so many at once, from wherever they come; the next is told to come back', async () => {
    const token = await network.token({ subject: 'somebody' })
    const [first, second] = [
      await greetedSocket(network.app.url, { token }),
      await greetedSocket(network.app.url, { token }),
    ]
    await expect(greetedSocket(network.app.url, { token })).rejects.toThrow('1013')
    const other = await greetedSocket(network.app.url, { token: await network.token({ subject: 'somebody else' }) })
    first.close()
    await first.closed
    const comeBack = () =>
      greetedSocket(network.app.url, { token }).then(
        (socket) => socket.close(),
        () => 'refused',
      )
    await expect.poll(comeBack).toBeUndefined()
    second.close()
    other.close()
  })

  it('without a subject are not counted as one', async () => {
    const token = await network.token({ subject: null })
    const sockets = await Promise.all([1, 2, 3].map(() => greetedSocket(network.app.url, { token })))
    expect(sockets).toHaveLength(3)
    for (const socket of sockets) socket.close()
  })
})

describe('the sockets of one address', () => {
  const behind = (address: string) => ({ headers: { 'x-forwarded-for': address } })

  it('may be so many at once; the next is refused at the upgrade, whatever else its proxy passes on', async () => {
    const sockets = [
      await openSocket(network.app.url, behind('203.0.113.7')),
      await openSocket(network.app.url, behind('198.51.100.1, 203.0.113.7')),
    ]
    await expect(openSocket(network.app.url, behind('203.0.113.7'))).rejects.toMatchObject({ status: 429 })
    await expect(openSocket(network.app.url, behind('192.0.2.99, 203.0.113.7'))).rejects.toMatchObject({ status: 429 })
    sockets.push(await openSocket(network.app.url, behind('203.0.113.8')))
    sockets[0]?.close()
    await sockets[0]?.closed
    await expect
      .poll(() =>
        openSocket(network.app.url, behind('203.0.113.7')).then(
          (socket) => sockets.push(socket),
          () => 0,
        ),
      )
      .toBeGreaterThan(0)
    for (const socket of sockets) socket.close()
  })

  it('that are refused for another reason do not count', async () => {
    const wrong = { headers: { 'x-forwarded-for': '203.0.113.50', origin: 'https://evil.example.test' } }
    for (let times = 0; times < 5; times++)
      await expect(openSocket(network.app.url, wrong)).rejects.toMatchObject({ status: 403 })
    const broken = [
      ['X-Forwarded-For', '203.0.113.50'],
      ['Sec-WebSocket-Version', '7'],
    ] as const
    for (let times = 0; times < 5; times++)
      await expect(openRawPeer(network.app.url, { headers: broken })).rejects.toMatchObject({ status: 400 })
    const socket = await openSocket(network.app.url, behind('203.0.113.50'))
    socket.close()
  })
})

async function greeted(): Promise<RawSocket> {
  return greetedSocket(network.app.url, { token: await network.token({ subject: null }) })
}

async function untilCaughtUp(socket: RawSocket, id: string): Promise<void> {
  for (const kind of ['SNAPSHOT', 'CAUGHT_UP'])
    expect(await socket.next()).toMatchObject({ id, payload: { data: { paymentLinkUpdates: { kind } } } })
}
