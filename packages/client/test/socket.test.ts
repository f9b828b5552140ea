import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws'
import { timingOf, type Timing } from '../src/connection/timing.ts'
import { openSocket } from '../src/connection/transports/socket.ts'
import { paymentSubject } from '../src/watch/subjects.ts'

const ACKNOWLEDGEMENT = { type: 'connection_ack' }
const ITEM = { kind: 'CAUGHT_UP', cursor: 'a', previousCursor: null }

/** A server with one socket of the kit: the messages that it got, and what the kit reports of the connection. */
async function connected(timing: Partial<Timing> = {}, token: string | null = null) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: ([first = '']) => first })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const received: unknown[] = []
  const reported: unknown[] = []
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
  const opened = new Promise<ServerSocket>((resolve) => server.once('connection', resolve))
  const connection = openSocket(
    {
      subject: paymentSubject({ id: 'p1', statusToken: null, locale: null }),
      endpoint: { url },
      token,
      after: null,
      held: null,
      timing: timingOf(timing),
      pollMs: 1,
    },
    {
      opened: () => reported.push('opened'),
      item: (item) => reported.push(item),
      ended: ({ kind, error: { code } }) => reported.push(`${kind} ${code}`),
    },
  )
  onTestFinished(() => connection.close())
  const socket = await opened
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  const send = (message: object | string) =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  return { socket, received, reported, connection, closed, send }
}

it('greets with its token, subscribes, and reports the items', async () => {
  const { socket, received, reported, connection, closed, send } = await connected({}, 'secret')
  expect(socket.protocol).toBe('graphql-transport-ws')
  await expect.poll(() => received).toEqual([{ type: 'connection_init', payload: { authorization: 'Bearer secret' } }])
  send(ACKNOWLEDGEMENT)
  send({ id: '1', type: 'next', payload: { data: { paymentUpdates: ITEM } } })
  await expect.poll(() => reported).toEqual(['opened', ITEM])
  expect(received.at(-1)).toMatchObject({
    id: '1',
    type: 'subscribe',
    payload: { query: expect.stringContaining('paymentUpdates') as string, variables: { id: 'p1', after: null } },
  })
  connection.close()
  expect(await closed).toBe(1000)
  expect(reported).toHaveLength(2)
})

it('answers a ping with its payload', async () => {
  const { received, send } = await connected()
  send(ACKNOWLEDGEMENT)
  send({ type: 'ping', payload: { at: 1 } })
  await expect.poll(() => received.at(-1)).toEqual({ type: 'pong', payload: { at: 1 } })
})

it('pings at intervals, and ends when nothing comes back', async () => {
  const { socket, received, reported, send, closed } = await connected({ pingMs: 5, pongMs: 1_000 })
  let pings = 0
  socket.on('message', (data: Buffer) => {
    if (data.toString() !== '{"type":"ping"}') return
    pings += 1
    if (pings < 5) send({ type: 'pong' })
  })
  send(ACKNOWLEDGEMENT)
  expect(await closed).toBe(1000)
  expect(reported).toEqual(['opened', 'lost NETWORK'])
  expect(pings).toBeGreaterThanOrEqual(5)
  expect(received).toContainEqual({ type: 'ping' })
})

it.each<[string, object | string, string]>([
  [
    'an error that passes',
    { type: 'error', payload: [{ message: '', extensions: { code: 'OVERLOADED' } }] },
    'lost OVERLOADED',
  ],
  ['a refusal', { type: 'error', payload: [{ message: '', extensions: { code: 'NOT_FOUND' } }] }, 'refused NOT_FOUND'],
  ['the end of the stream', { type: 'complete' }, 'complete UNAVAILABLE'],
  ['an item without data', { type: 'next', payload: {} }, 'lost BAD_RESPONSE'],
  ['no payload', { type: 'next', payload: null }, 'lost NETWORK'],
  ['an error that is none', { type: 'error', payload: null }, 'lost NETWORK'],
  ['no JSON', 'hello', 'lost NETWORK'],
  ['null', 'null', 'lost NETWORK'],
])('ends once, at %s', async (_what, message, end) => {
  const { reported, closed, send } = await connected()
  send(ACKNOWLEDGEMENT)
  send(message)
  send(message)
  expect(await closed).toBe(1000)
  expect(reported).toEqual(['opened', end])
})

it.each([
  [4401, 'refused UNAUTHENTICATED'],
  [4403, 'refused UNAUTHENTICATED'],
  [1012, 'restarting UNAVAILABLE'],
  [4500, 'lost NETWORK'],
])('tells from %i what has ended the socket', async (code, end) => {
  const { socket, reported, send } = await connected()
  send(ACKNOWLEDGEMENT)
  socket.close(code, 'a test')
  await expect.poll(() => reported).toEqual(['opened', end])
})

it.each(['', 'http://127.0.0.1:9/graphql', 'mailto:a@b.test'])('does not open at %j', async (url) => {
  const reported = new Promise((resolve) => {
    const subject = paymentSubject({ id: 'p1', statusToken: null, locale: null })
    const request = {
      subject,
      endpoint: { url },
      token: null,
      after: null,
      held: null,
      timing: timingOf({}),
      pollMs: 1,
    }
    openSocket(request, {
      opened: () => {},
      item: () => {},
      ended: ({ kind, error: { code } }) => resolve(`${kind} ${code}`),
    })
  })
  expect(await reported).toBe('unopened NETWORK')
})
