import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  closeFrame,
  frame,
  greetedRawPeer,
  OPCODE,
  openRawPeer,
  textFrame,
  type RawPeer,
} from '../../../test/support/raw-websocket.ts'
import { greetedSocket, type RawSocket } from '../../../test/support/socket.ts'
import { serve, SERVERS, type TestServer } from './serve.ts'

const { continuation, text, binary, close, ping, pong } = OPCODE
const BYTES = 64 * 1024

const INIT = textFrame({ type: 'connection_init' })
const PING = textFrame({ type: 'ping' })
const typename = (id: unknown) => textFrame({ id, type: 'subscribe', payload: { query: '{ greeting }' } })
const stream = (id: string) => textFrame({ id, type: 'subscribe', payload: { query: 'subscription { ticks }' } })
/** A ping message of exactly this many bytes. */
const sized = (bytes: number) => {
  const shell = JSON.stringify({ type: 'ping', payload: { text: '' } })
  return JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(bytes - shell.length) } })
}
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

type Case = readonly [name: string, code: number, ...frames: (Buffer | (() => Buffer))[]]

/** What a client can send before `connection_init` succeeds, and the code with which its socket is closed. */
const BEFORE_GREETING: readonly Case[] = [
  ['a stream', 4401, () => stream('1')],
  ['a query', 4401, typename('1')],
  ['a query under a bad id', 4400, typename(1)],
  ['text that is no JSON', 4400, textFrame('hello')],
  ['nothing', 4400, textFrame('')],
  ['an unknown type', 4400, textFrame({ type: 'start' })],
  ['a greeting with a payload that is no object', 4400, textFrame({ type: 'connection_init', payload: 'x' })],
  ['an acknowledgement', 4400, textFrame({ type: 'connection_ack' })],
  ['a bad token', 4403, textFrame({ type: 'connection_init', payload: { token: 'wrong' } })],
]

const AFTER_GREETING: readonly Case[] = [
  ['another greeting', 4429, INIT],
  ['text that is no JSON', 4400, textFrame('{"type":"ping"')],
  ['null', 4400, textFrame('null')],
  ['a list', 4400, textFrame('[]')],
  ['a type that is no text', 4400, textFrame({ type: 7 })],
  ['an unknown type', 4400, textFrame({ type: 'start', id: '1' })],
  ['a type that every object has', 4400, textFrame({ type: 'constructor' })],
  ['what only a server says: next', 4400, textFrame({ type: 'next', id: '1', payload: { data: {} } })],
  ['a query without an id', 4400, typename(undefined)],
  ['a query under an empty id', 4400, typename('')],
  ['a query without a payload', 4400, textFrame({ id: '1', type: 'subscribe' })],
  ['a query without a text', 4400, textFrame({ id: '1', type: 'subscribe', payload: {} })],
  ['a query whose text is a number', 4400, textFrame({ id: '1', type: 'subscribe', payload: { query: 1 } })],
  [
    'variables that are text',
    4400,
    textFrame({ id: '1', type: 'subscribe', payload: { query: '{a}', variables: '' } }),
  ],
  [
    'an operation name that is a number',
    4400,
    textFrame({ id: '1', type: 'subscribe', payload: { query: '{a}', operationName: 1 } }),
  ],
  [
    'extensions that are text',
    4400,
    textFrame({ id: '1', type: 'subscribe', payload: { query: '{a}', extensions: '' } }),
  ],
  ['an end without an id', 4400, textFrame({ type: 'complete' })],
  ['a ping with a payload that is text', 4400, textFrame({ type: 'ping', payload: 'x' })],
  [
    'a ping with a payload that is nested too deep',
    4400,
    textFrame(`{"type":"ping","payload":{"a":${nested(30_000)}}}`),
  ],
  ['a pong with a payload that is a number', 4400, textFrame({ type: 'pong', payload: 1 })],
  ['a second stream under one id', 4409, () => stream('1'), () => stream('1')],
  ['a second stream under one id of 128 letters', 4409, () => stream('i'.repeat(128)), () => stream('i'.repeat(128))],
  ['an id of 129 letters', 4400, () => stream('i'.repeat(129))],
  ['a binary frame that is no message', 4400, frame(binary, Buffer.from([1, 2, 3]))],
  [
    'a binary frame that is no UTF-8',
    4400,
    frame(binary, Buffer.from('{"type":"ping","payload":{"a":"\xff"}}', 'latin1')),
  ],
  ['text that is no UTF-8', 1007, frame(text, Buffer.from([0x22, 0xff, 0xfe, 0x22]))],
  ['half a surrogate pair', 1007, frame(text, Buffer.from([0xed, 0xa0, 0x80]))],
  ['a letter of two bytes written with three', 1007, frame(text, Buffer.from([0xe0, 0x80, 0xaf]))],
  [
    'fragments that are no UTF-8 together',
    1007,
    frame(text, Buffer.from([0xe2]), { fin: false }),
    frame(continuation, 'x'),
  ],
  ['the first reserved bit', 1002, frame(text, '{}', { reserved: 4 })],
  ['a reserved bit on a ping', 1002, frame(ping, '', { reserved: 4 })],
  ['a frame without a mask', 1002, frame(text, '{"type":"ping"}', { masked: false })],
  ['a close frame without a mask', 1002, frame(close, Buffer.from([3, 232]), { masked: false })],
  ['reserved data frames', 1002, frame(0x3, 'x')],
  ['reserved control frames', 1002, frame(0xb, 'x')],
  ['a ping in fragments', 1002, frame(ping, 'x', { fin: false })],
  ['a close frame in fragments', 1002, frame(close, Buffer.from([3, 232]), { fin: false })],
  ['a ping of 126 bytes', 1002, frame(ping, Buffer.alloc(126))],
  ['a close frame of 126 bytes', 1002, closeFrame(1000, 'x'.repeat(124))],
  ['a close frame of one byte', 1002, frame(close, Buffer.from([3]))],
  ['a continuation of nothing', 1002, frame(continuation, 'x')],
  ['a new message within another', 1002, frame(text, '{', { fin: false }), frame(text, '}')],
  ['a continuation after the end', 1002, PING, frame(continuation, 'x')],
  ...[0, 999, 1005, 2999, 5000].map((code): Case => [`a close frame with the code ${code}`, 1002, closeFrame(code)]),
  ['a close frame whose reason is no UTF-8', 1007, closeFrame(1000, Buffer.from([0xff]))],
  ['a message of a byte too many', 1009, frame(text, sized(BYTES + 1))],
  ['fragments of a byte too many', 1009, frame(text, 'x'.repeat(BYTES), { fin: false }), frame(continuation, 'x')],
  ['the largest length there is, declared', 1009, frame(text, '', { declared: 2n ** 63n - 1n })],
  ['a negative length, declared', 1009, frame(text, '', { declared: 2n ** 64n - 1n })],
  [
    'more fragments than a message may have',
    1008,
    frame(text, '{', { fin: false }),
    Buffer.concat(Array<Buffer>(1_000).fill(frame(continuation, '', { fin: false }))),
  ],
]

// promise(sockets): Protocol violations are answered with the exact close codes.
describe.each(SERVERS)('%s', (_name, create) => {
  let server: TestServer
  let bystander: RawSocket
  beforeAll(async () => {
    server = await serve(create)
    bystander = await greetedSocket(server.url)
    bystander.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { ticks }' } })
    await vi.waitUntil(() => server.open === 1)
  })
  afterAll(() => server.close())

  describe('before the greeting, a socket is closed for', () => {
    for (const [name, code, ...frames] of BEFORE_GREETING)
      it(`${name}, with ${code}`, async () => {
        const peer = await openRawPeer(server.url)
        expect(await codeFor(peer, frames)).toBe(code)
      })
  })

  describe('after the greeting, a socket is closed for', () => {
    for (const [name, code, ...frames] of AFTER_GREETING)
      it(`${name}, with ${code}`, async () => {
        const peer = await greetedRawPeer(server.url)
        expect(await codeFor(peer, frames)).toBe(code)
      })
  })

  describe('a socket stays open for', () => {
    const PONG = { opcode: text, payload: '{"type":"pong"}' }
    const ANSWER = { opcode: text, payload: '{"id":"1","type":"next","payload":{"data":{"greeting":"hello"}}}' }
    const NULLS = { variables: null, operationName: null, extensions: null, key: 7 }
    const WITH_NULLS = { id: '1', type: 'subscribe', payload: { query: '{ greeting }', ...NULLS }, extra: [] }
    const answered: readonly (readonly [
      name: string,
      answer: { opcode: number; payload: string },
      ...frames: Buffer[],
    ])[] = [
      ['a ping of 125 bytes', { opcode: pong, payload: 'x'.repeat(125) }, frame(ping, 'x'.repeat(125))],
      ['a pong that nobody asked for', PONG, frame(pong, 'x'), PING],
      ['the end of an operation that there is not', PONG, textFrame({ id: 'none', type: 'complete' }), PING],
      ['a pong of the protocol', PONG, textFrame({ type: 'pong' }), PING],
      ['a ping with the payload null', PONG, textFrame({ type: 'ping', payload: null })],
      ['a pong with the payload null', PONG, textFrame({ type: 'pong', payload: null }), PING],
      ['an end with other members', PONG, textFrame({ id: 'none', type: 'complete', payload: null }), PING],
      ['a ping in a binary frame', PONG, frame(binary, '{"type":"ping"}')],
      ['a query with nulls and other members, in a binary frame', ANSWER, frame(binary, JSON.stringify(WITH_NULLS))],
      ['a ping in two fragments', PONG, frame(text, '{"type":', { fin: false }), frame(continuation, '"ping"}')],
      [
        'a ping of WebSocket between two fragments',
        { opcode: pong, payload: '' },
        frame(text, '{"type":', { fin: false }),
        frame(ping),
        frame(continuation, '"ping"}'),
      ],
      [
        'fragments without bytes',
        PONG,
        frame(text, '', { fin: false }),
        frame(continuation, '', { fin: false }),
        frame(continuation, '{"type":"ping"}'),
      ],
      [
        'a message of as many bytes as it may have',
        { opcode: text, payload: sized(BYTES).replace('ping', 'pong') },
        frame(text, sized(BYTES)),
      ],
      [
        'a letter of four bytes',
        { opcode: text, payload: '{"type":"pong","payload":{"a":"𝄞"}}' },
        textFrame({ type: 'ping', payload: { a: '𝄞' } }),
      ],
    ]
    for (const [name, answer, ...frames] of answered)
      it(`${name}, and answers`, async () => {
        const peer = await greetedRawPeer(server.url)
        peer.write(Buffer.concat(frames))
        const { opcode, payload } = await peer.next()
        expect({ opcode, payload: payload.toString() }).toEqual(answer)
        peer.write(closeFrame(1000))
        expect(await peer.closed).toBe(1000)
      })

    it.each([1000, 1001, 1003, 1007, 1011, 3000, 4000, 4999])('a proper goodbye, with %i', async (code) => {
      const peer = await greetedRawPeer(server.url)
      peer.write(closeFrame(code, 'so long'))
      expect(await peer.closed).toBe(code)
      await peer.ended
    })

    it('bytes that come one at a time', async () => {
      const peer = await greetedRawPeer(server.url)
      peer.connection.setNoDelay(true)
      for (const byte of PING) peer.write(Buffer.from([byte]))
      expect((await peer.next()).payload.toString()).toBe('{"type":"pong"}')
      peer.connection.destroy()
    })
  })

  it('nothing of all that touched anybody else, and nothing was left behind', async () => {
    server.tick(1)
    expect(await bystander.next()).toMatchObject({ id: '1', type: 'next', payload: { data: { ticks: 1 } } })
    await expect.poll(() => server.count).toBe(1)
    expect(server.open).toBe(1)
  })
})

/** Sends frames and a ping after them. Returns the code of the close frame, once the connection has ended. */
async function codeFor(peer: RawPeer, frames: readonly (Buffer | (() => Buffer))[]): Promise<number | null> {
  peer.write(Buffer.concat([...frames.map((given) => (typeof given === 'function' ? given() : given)), PING]))
  const code = await peer.closed
  peer.connection.end()
  await peer.ended
  return code
}
