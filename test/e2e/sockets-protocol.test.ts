import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { greetedRawPeer, openRawPeer, textFrame } from '../support/raw-websocket.ts'
import { closeCodeOf, greetedSocket, openSocket, type RawSocket } from '../support/socket.ts'

// The rules of https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md for a server, in the order of that page.

let network: Network
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork({ limits: { initMs: 300 } })
  link = await createLink(network)
})
afterAll(() => network.close())

const INIT = { type: 'connection_init' }
const query = (id: string, text = '{ __typename }') => ({ id, type: 'subscribe', payload: { query: text } })
const stream = (id: string) => ({
  id,
  type: 'subscribe',
  payload: { query: LINK_UPDATES, variables: { id: link.id } },
})
const NEXT = (id: string) => ({ id, type: 'next', payload: { data: { __typename: 'Query' } } })
const COMPLETE = (id: string) => ({ id, type: 'complete' })

const greeted = async () => greetedSocket(network.app.url, { token: await network.token() })

/** Opens a stream and reads its first items, so that only new events follow. */
async function caughtUp(socket: RawSocket, id: string): Promise<void> {
  socket.send(stream(id))
  for (const kind of ['SNAPSHOT', 'CAUGHT_UP'])
    expect(await socket.next()).toMatchObject({ id, type: 'next', payload: { data: { paymentLinkUpdates: { kind } } } })
}

/** Returns the messages that arrive before a ping is answered. */
async function untilPong(socket: RawSocket) {
  socket.send({ type: 'ping' })
  const messages = [await socket.next()]
  while (messages.at(-1)?.type !== 'pong') messages.push(await socket.next())
  return messages.slice(0, -1)
}

describe('the subprotocol', () => {
  it('is graphql-transport-ws, and any other is closed with 4406', async () => {
    for (const other of ['mqtt', undefined]) expect(await closeCodeOf(network.app.url, other)).toBe(4406)
  })

  it('of subscriptions-transport-ws is refused with a message of its own as well', async () => {
    const socket = await openSocket(network.app.url, { protocol: 'graphql-ws' })
    expect(await socket.next()).toMatchObject({ type: 'connection_error' })
    expect(await socket.closed).toEqual({ code: 4406, reason: 'Subprotocol not acceptable' })
  })
})

describe('ConnectionInit and ConnectionAck', () => {
  it('the connection is acknowledged, with or without a payload', async () => {
    for (const init of [INIT, { ...INIT, payload: {} }]) {
      const socket = await openSocket(network.app.url)
      socket.send(init)
      expect(await socket.next()).toEqual({ type: 'connection_ack' })
      socket.close()
    }
  })

  it('a socket that is not initialised in time is closed with 4408, and one before it that is stays open', async () => {
    const other = await greetedSocket(network.app.url)
    const socket = await openSocket(network.app.url)
    expect(await socket.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' })
    expect(await untilPong(other)).toEqual([])
    other.close()
  })

  it('a second one is closed with 4429, acknowledged or not', async () => {
    const socket = await greeted()
    socket.send(INIT)
    expect(await socket.closed).toEqual({ code: 4429, reason: 'Too many initialisation requests' })
    const peer = await openRawPeer(network.app.url)
    const init = textFrame({ ...INIT, payload: { token: await network.token() } })
    peer.write(Buffer.concat([init, init]))
    expect(await peer.closed).toBe(4429)
    peer.connection.destroy()
  })

  it('one that is not accepted is closed with 4403', async () => {
    const socket = await openSocket(network.app.url)
    socket.send({ ...INIT, payload: { token: 'nonsense' } })
    expect(await socket.closed).toEqual({ code: 4403, reason: 'Forbidden' })
  })
})

describe('Ping and Pong', () => {
  it('a ping is answered at any time, with its payload', async () => {
    const socket = await openSocket(network.app.url)
    for (const message of [{ type: 'ping' }, { type: 'ping', payload: { at: 1 } }]) {
      socket.send(message)
      expect(await socket.next()).toEqual({ ...message, type: 'pong' })
    }
    socket.send(INIT)
    expect(await socket.next()).toEqual({ type: 'connection_ack' })
    socket.send({ type: 'ping', payload: { at: 2 } })
    expect(await socket.next()).toEqual({ type: 'pong', payload: { at: 2 } })
    socket.close()
  })

  it.each([125, 126, 65_535, 65_536])(
    'an answer of %i bytes is whole, though the head of its frame differs',
    async (bytes) => {
      const socket = await greeted()
      const shell = JSON.stringify({ type: 'pong', payload: { text: '' } }).length
      const message = { type: 'ping', payload: { text: `é${'x'.repeat(bytes - shell - 2)}` } }
      expect(Buffer.byteLength(JSON.stringify(message))).toBe(bytes)
      socket.send(message)
      expect(await socket.next()).toEqual({ ...message, type: 'pong' })
      socket.close()
    },
  )

  it('a pong that nobody asked for is fine', async () => {
    const socket = await greeted()
    socket.send({ type: 'pong' })
    socket.send({ type: 'pong', payload: { at: 1 } })
    expect(await untilPong(socket)).toEqual([])
    socket.close()
  })
})

describe('Subscribe', () => {
  it('before the acknowledgement is closed with 4401, also once the connection is being initialised', async () => {
    const socket = await openSocket(network.app.url)
    socket.send(query('1'))
    expect(await socket.closed).toEqual({ code: 4401, reason: 'Unauthorized' })
    const peer = await openRawPeer(network.app.url)
    const init = textFrame({ ...INIT, payload: { token: await network.token() } })
    peer.write(Buffer.concat([init, textFrame(query('1'))]))
    expect(await peer.closed).toBe(4401)
    peer.connection.destroy()
  })

  it.each([
    ['a stream', () => stream('1')],
    ['a query', () => query('1')],
  ])('under the id of a stream that is active is closed with 4409: %s', async (_what, message) => {
    const socket = await greeted()
    await caughtUp(socket, '1')
    socket.send(message())
    expect((await socket.closed).code).toBe(4409)
  })

  it('may use an id again that the server, or the client, has completed', async () => {
    const socket = await greeted()
    for (let turn = 0; turn < 2; turn += 1) {
      socket.send(query('1'))
      expect([await socket.next(), await socket.next()]).toEqual([NEXT('1'), COMPLETE('1')])
    }
    await caughtUp(socket, '1')
    socket.send(COMPLETE('1'))
    await caughtUp(socket, '1')
    socket.close()
  })

  it('shares a socket with other operations', async () => {
    const socket = await greeted()
    await caughtUp(socket, 'stream')
    socket.send(query('a'))
    socket.send(query('b'))
    const messages = await Promise.all(Array.from({ length: 4 }, () => socket.next()))
    for (const id of ['a', 'b'])
      expect(messages.filter((message) => message.id === id)).toEqual([NEXT(id), COMPLETE(id)])
    socket.close()
  })
})

describe('Next, Error and Complete', () => {
  it('an id is given back as it came, whatever it holds', async () => {
    const socket = await greeted()
    const id = '"\\\n \u2028 𝄞 "},"type":"complete"'
    socket.send(query(id))
    expect([await socket.next(), await socket.next()]).toEqual([NEXT(id), COMPLETE(id)])
    socket.close()
  })

  it('an operation that is not valid has an error, and nothing after it', async () => {
    const socket = await greeted()
    socket.send(query('1', '{ none }'))
    expect(await socket.next()).toMatchObject({ id: '1', type: 'error', payload: [{ extensions: {} }] })
    expect(await untilPong(socket)).toEqual([])
    socket.send(query('1'))
    expect(await socket.next()).toEqual(NEXT('1'))
    socket.close()
  })

  it('a stream that has come to its end is completed', async () => {
    const socket = await greeted()
    const payload = { query: LINK_UPDATES, variables: { id: link.id, after: 'forged' } }
    socket.send({ id: '1', type: 'subscribe', payload })
    expect(await socket.next()).toMatchObject({ id: '1', type: 'next' })
    expect(await socket.next()).toEqual(COMPLETE('1'))
    socket.close()
  })

  it('a stream that its client completes is told nothing more, and the others are', async () => {
    const socket = await greeted()
    const { id } = link
    await caughtUp(socket, '1')
    await caughtUp(socket, '2')
    socket.send(COMPLETE('1'))
    expect(await untilPong(socket)).toEqual([])
    await network.sandbox.control.setStatus(id, 'pending')
    expect(await socket.next()).toMatchObject({ id: '2', type: 'next' })
    expect((await untilPong(socket)).filter((message) => message.id === '1')).toEqual([])
    socket.close()
  })

  it('a query that its client completes before it is answered has no answer', async () => {
    const peer = await greetedRawPeer(network.app.url, { token: await network.token() })
    const messages = [query('1', '{ paymentCurrencies { code } }'), COMPLETE('1'), query('2')]
    peer.write(Buffer.concat(messages.map((message) => textFrame(message))))
    const answers = [await peer.next(), await peer.next()].map(
      ({ payload }) => JSON.parse(payload.toString()) as unknown,
    )
    expect(answers).toEqual([NEXT('2'), COMPLETE('2')])
    peer.connection.destroy()
  })

  it('the end of an operation that there is not, or not any more, is ignored', async () => {
    const socket = await greeted()
    socket.send(COMPLETE('none'))
    socket.send(query('1'))
    expect([await socket.next(), await socket.next()]).toEqual([NEXT('1'), COMPLETE('1')])
    socket.send(COMPLETE('1'))
    expect(await untilPong(socket)).toEqual([])
    socket.close()
  })
})

describe('an invalid message', () => {
  it('is one with an id of more than 128 bytes, which every answer would repeat', async () => {
    const socket = await greeted()
    const longest = 'é'.repeat(64)
    socket.send(query(longest))
    expect([await socket.next(), await socket.next()]).toEqual([NEXT(longest), COMPLETE(longest)])
    socket.send(query(`${longest}e`))
    expect(await socket.closed).toEqual({ code: 4400, reason: 'The id of an operation has more than 128 bytes' })
  })
})
