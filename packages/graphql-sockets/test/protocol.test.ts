import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { greetedRawPeer, openRawPeer, textFrame } from '../../../test/support/raw-websocket.ts'
import { closeCodeOf, greetedSocket, openSocket, type RawSocket } from '../../../test/support/socket.ts'
import { serve, SERVERS, type TestServer } from './serve.ts'

const INIT = { type: 'connection_init' }
const query = (id: string, text = '{ greeting }') => ({ id, type: 'subscribe', payload: { query: text } })
const stream = (id: string, field = 'ticks') => query(id, `subscription { ${field} }`)
const NEXT = (id: string) => ({ id, type: 'next', payload: { data: { greeting: 'hello' } } })
const TICK = (id: string, ticks: number) => ({ id, type: 'next', payload: { data: { ticks } } })
const COMPLETE = (id: string) => ({ id, type: 'complete' })

/** Returns the messages that arrive before a ping is answered. */
async function untilPong(socket: RawSocket) {
  socket.send({ type: 'ping' })
  const messages = [await socket.next()]
  while (messages.at(-1)?.type !== 'pong') messages.push(await socket.next())
  return messages.slice(0, -1)
}

// The rules of https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md for a server, in the order of that page.
describe.each(SERVERS)('%s', (name, create) => {
  let server: TestServer
  beforeAll(async () => {
    server = await serve(create)
  })
  afterAll(() => server.close())

  const greeted = () => greetedSocket(server.url)

  /** Opens a stream, and waits until it is open. */
  async function streaming(socket: RawSocket, id: string): Promise<void> {
    const before = server.open
    socket.send(stream(id))
    await expect.poll(() => server.open).toBe(before + 1)
  }

  it('speaks graphql-transport-ws, and closes any other subprotocol with 4406', async () => {
    for (const offered of ['graphql-ws, graphql-transport-ws', 'mqtt,graphql-transport-ws , graphql-ws']) {
      const peer = await openRawPeer(server.url, { headers: [['Sec-WebSocket-Protocol', offered]] })
      peer.say(INIT)
      expect((await peer.next()).payload.toString()).toBe('{"type":"connection_ack"}')
      peer.connection.destroy()
    }
    for (const other of ['mqtt', undefined]) expect(await closeCodeOf(server.url, other)).toBe(4406)
    const socket = await openSocket(server.url, { protocol: 'graphql-ws' })
    expect(await socket.next()).toMatchObject({ type: 'connection_error' })
    expect(await socket.closed).toEqual({ code: 4406, reason: 'Subprotocol not acceptable' })
  })

  it('closes with 1012 one socket after another, and waits for all', async () => {
    const ending = await serve(create)
    const sockets = [await greetedSocket(ending.url), await greetedSocket(ending.url)]
    const ended = ending.close(600_000)
    const first = await Promise.race(sockets.map(async (socket, index) => ({ index, ...(await socket.closed) })))
    expect(first.code).toBe(1012)
    await expect.poll(() => ending.count).toBe(1)
    sockets[1 - first.index]?.close()
    await ended
  })

  describe('ConnectionInit and ConnectionAck', () => {
    it('acknowledges a connection, with or without a payload', async () => {
      for (const init of [INIT, { ...INIT, payload: {} }, { ...INIT, payload: null }, { ...INIT, id: '1' }]) {
        const socket = await openSocket(server.url)
        socket.send(init)
        expect(await socket.next()).toEqual({ type: 'connection_ack' })
        socket.close()
      }
    })

    it('closes a socket that is not initialised in time with 4408, and no other', async () => {
      const other = await greeted()
      const socket = await openSocket(server.url)
      expect(await socket.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' })
      expect(await untilPong(other)).toEqual([])
      other.close()
    })

    it('closes at a second one with 4429, acknowledged or not', async () => {
      const socket = await greeted()
      socket.send(INIT)
      expect(await socket.closed).toEqual({ code: 4429, reason: 'Too many initialisation requests' })
      const peer = await openRawPeer(server.url)
      peer.write(Buffer.concat([textFrame(INIT), textFrame(INIT)]))
      expect(await peer.closed).toBe(4429)
      peer.connection.destroy()
    })

    it.each([
      ['wrong', { code: 4403, reason: 'Forbidden' }],
      ['broken', { code: 4500, reason: 'Internal server error' }],
    ])('closes as the app says when its token is %s', async (token, closing) => {
      const socket = await openSocket(server.url)
      socket.send({ ...INIT, payload: { token } })
      expect(await socket.closed).toEqual(closing)
    })
  })

  describe('Ping and Pong', () => {
    it('answers a ping at any time, with its payload', async () => {
      const socket = await openSocket(server.url)
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

    it.each([125, 126, 65_535])('answers with %i bytes, whatever the head of its frame', async (bytes) => {
      const socket = await greeted()
      const shell = JSON.stringify({ type: 'pong', payload: { text: '' } }).length
      const message = { type: 'ping', payload: { text: `é${'x'.repeat(bytes - shell - 2)}` } }
      expect(Buffer.byteLength(JSON.stringify(message))).toBe(bytes)
      socket.send(message)
      expect(await socket.next()).toEqual({ ...message, type: 'pong' })
      socket.close()
    })
  })

  describe('Subscribe', () => {
    it('before the acknowledgement is closed with 4401, also while the connection is being initialised', async () => {
      const socket = await openSocket(server.url)
      socket.send(query('1'))
      expect(await socket.closed).toEqual({ code: 4401, reason: 'Unauthorized' })
      const peer = await openRawPeer(server.url)
      peer.write(Buffer.concat([textFrame(INIT), textFrame(query('1'))]))
      expect(await peer.closed).toBe(4401)
      peer.connection.destroy()
    })

    it('may use an id again that the server, or the client, has completed', async () => {
      const socket = await greeted()
      for (let turn = 0; turn < 2; turn += 1) {
        socket.send(query('1'))
        expect([await socket.next(), await socket.next()]).toEqual([NEXT('1'), COMPLETE('1')])
      }
      await streaming(socket, '1')
      socket.send(COMPLETE('1'))
      await expect.poll(() => server.open).toBe(0)
      await streaming(socket, '1')
      server.tick(1)
      expect(await socket.next()).toEqual(TICK('1', 1))
      socket.close()
    })

    it.skipIf(name === 'graphql-ws')('may use an id again at once, whose stream is just ending', async () => {
      const peer = await greetedRawPeer(server.url)
      peer.say(stream('1'))
      await expect.poll(() => server.open).toBe(1)
      const again = [COMPLETE('1'), stream('1'), query('2')]
      peer.write(Buffer.concat(again.map((message) => textFrame(message))))
      for (const message of [NEXT('2'), COMPLETE('2')])
        expect(JSON.parse((await peer.next()).payload.toString())).toEqual(message)
      await expect.poll(() => server.open).toBe(1)
      server.tick(1)
      expect(JSON.parse((await peer.next()).payload.toString())).toEqual(TICK('1', 1))
      peer.connection.destroy()
    })

    it('shares a socket with other operations', async () => {
      const socket = await greeted()
      await streaming(socket, 'stream')
      socket.send(query('a'))
      socket.send(query('b'))
      const messages = await Promise.all(Array.from({ length: 4 }, () => socket.next()))
      for (const id of ['a', 'b'])
        expect(messages.filter((message) => message.id === id)).toEqual([NEXT(id), COMPLETE(id)])
      socket.close()
    })

    it('is refused by itself beyond the streams of a socket, and until one of them has ended', async () => {
      const socket = await greeted()
      for (const id of ['1', '2', '3']) await streaming(socket, id)
      socket.send(stream('4'))
      expect(await socket.next()).toMatchObject({
        id: '4',
        type: 'error',
        payload: [{ extensions: { code: 'TOO_MANY_OPERATIONS' } }],
      })
      socket.send(query('5'))
      expect([await socket.next(), await socket.next()]).toEqual([NEXT('5'), COMPLETE('5')])
      socket.send(COMPLETE('1'))
      await expect.poll(() => server.open).toBe(2)
      await streaming(socket, '4')
      socket.close()
      await expect.poll(() => server.open).toBe(0)
    })
  })

  describe('Next, Error and Complete', () => {
    it('give an id back as it came, whatever it holds', async () => {
      const socket = await greeted()
      const id = '"\\\n \u2028 𝄞 "},"type":"complete"'
      socket.send(query(id))
      expect([await socket.next(), await socket.next()]).toEqual([NEXT(id), COMPLETE(id)])
      socket.close()
    })

    it('tell the error of an operation that is not valid, and nothing after it', async () => {
      const socket = await greeted()
      socket.send(query('1', '{ none }'))
      const error = { message: expect.stringContaining('none') as string, locations: [{ line: 1, column: 3 }] }
      expect(await socket.next()).toEqual({ id: '1', type: 'error', payload: [error] })
      expect(await untilPong(socket)).toEqual([])
      socket.send(query('1'))
      expect(await socket.next()).toEqual(NEXT('1'))
      socket.close()
    })

    it('tell each item of a stream in order, and its end', async () => {
      const socket = await greeted()
      await streaming(socket, '1')
      for (const value of [1, 2, 3]) server.tick(value)
      expect([await socket.next(), await socket.next(), await socket.next()]).toEqual([
        TICK('1', 1),
        TICK('1', 2),
        TICK('1', 3),
      ])
      socket.send(stream('2', 'one'))
      expect(await socket.next()).toEqual({ id: '2', type: 'next', payload: { data: { one: 1 } } })
      expect(await socket.next()).toEqual(COMPLETE('2'))
      socket.close()
    })

    it('are replaced by a close frame where a stream is interrupted, or the app wants its client to come back', async () => {
      const socket = await greeted()
      socket.send(stream('1', 'broken'))
      expect(await socket.next()).toMatchObject({ type: 'next' })
      expect(await socket.closed).toEqual({ code: 1013, reason: 'Try again later' })
      const other = await greeted()
      server.expire()
      other.send(stream('1', 'one'))
      expect(await other.next()).toMatchObject({ type: 'next' })
      expect(await other.closed).toEqual({ code: 4403, reason: 'Token expired' })
    })

    it('tell a stream that its client completes nothing more, and the others all', async () => {
      const socket = await greeted()
      await streaming(socket, '1')
      await streaming(socket, '2')
      socket.send(COMPLETE('1'))
      expect(await untilPong(socket)).toEqual([])
      await expect.poll(() => server.open).toBe(1)
      server.tick(1)
      expect(await socket.next()).toEqual(TICK('2', 1))
      expect(await untilPong(socket)).toEqual([])
      socket.close()
    })

    it('tell nothing of a query that its client completes before it is answered', async () => {
      const socket = await greeted()
      socket.send(query('1', '{ later }'))
      socket.send(COMPLETE('1'))
      expect(await untilPong(socket)).toEqual([])
      server.answer()
      socket.send(query('2'))
      expect([await socket.next(), await socket.next()]).toEqual([NEXT('2'), COMPLETE('2')])
      socket.close()
    })

    it('ignore the end of an operation that there is not, or not any more', async () => {
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

  it('tells the app of each connection that closes, once, and counts the others', async () => {
    const own = await serve(create)
    const sockets = [await greetedSocket(own.url), await greetedSocket(own.url)]
    await expect.poll(() => own.count).toBe(2)
    sockets[0]?.close()
    await expect.poll(() => [own.count, own.closed]).toEqual([1, 1])
    await own.close()
    expect(await sockets[1]?.closed).toEqual({ code: 1012, reason: 'Service restart' })
    expect([own.count, own.closed]).toEqual([0, 2])
  })

  it('cuts a peer that answers no ping', async () => {
    const own = await serve(create, { keepAliveMs: 50 })
    const peer = await greetedRawPeer(own.url)
    // It answers pings while it reads.
    peer.connection.pause()
    await expect.poll(() => own.closed).toBe(1)
    peer.connection.destroy()
    await own.close()
  })
})
