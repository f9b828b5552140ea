import type { Socket } from 'node:net'
import { ExactNumber } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { open, serve, site } from './open.ts'
import { answer, type Script } from './scripted-service.ts'

const REQUESTS = {
  GET: { method: 'GET', path: '/v3/payin_methods' },
  POST: { method: 'POST', path: '/v3/payin_links', body: {} },
} as const

const said = (number: number) => ({ status: 200, json: { answer: new ExactNumber(String(number)) }, answeredAt: null })
const whole = (number: number) => answer(200, `{"answer":${number}}`)

/** Resolves when the payments API's end of a connection is closed. */
const ended = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

describe.each(['GET', 'POST'] as const)('a %s', (method) => {
  const request = REQUESTS[method]

  it.each([
    ['with its length', 'HTTP/1.0 200 OK\r\ncontent-length: 12\r\n\r\n{"answer":1}'],
    ['up to the end of the connection', 'HTTP/1.0 200 OK\r\n\r\n{"answer":1}'],
  ])('takes an answer of HTTP/1.0 %s', async (_how, text) => {
    const service = await serve((socket) => socket.end(text))
    const transport = open(service.baseUrl)
    expect(await transport.request(site(), request)).toEqual(said(1))
    expect(await transport.request(site(), request)).toEqual(said(1))
    expect(service.requests).toHaveLength(2)
  })

  it('does not use a connection that was closed since the last one', async () => {
    const closed = Promise.withResolvers<void>()
    const service = await serve((socket, seen) => {
      whole(1)(socket, seen)
      void ended(socket).then(closed.resolve)
      socket.end()
    }, whole(2))
    const transport = open(service.baseUrl)
    expect(await transport.request(site(), request)).toEqual(said(1))
    await closed.promise
    expect(await transport.request(site(), request)).toEqual(said(2))
    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 2])
  })

  it('does not use a connection that says it will close', async () => {
    const closing: Script = (socket, seen) => answer(200, '{"answer":1}', { connection: 'close' })(socket, seen)
    const service = await serve(closing, whole(2))
    const transport = open(service.baseUrl)
    expect(await transport.request(site(), request)).toEqual(said(1))
    expect(await transport.request(site(), request)).toEqual(said(2))
    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 2])
  })

  const SMUGGLED = 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"answer":9}'
  it.each([
    ['in one piece', (first: string) => [first + SMUGGLED]],
    ['in pieces', (first: string) => [first, SMUGGLED]],
    ['broken off within the first line', (first: string) => [first + SMUGGLED.slice(0, 10), SMUGGLED.slice(10)]],
    ['after an interim one', (first: string) => [`HTTP/1.1 103 Early Hints\r\n\r\n${first}`, SMUGGLED]],
  ])('never gets an answer that came before it was asked: two, %s', async (_how, pieces) => {
    const gone = Promise.withResolvers<void>()
    const first = 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"answer":1}'
    const service = await serve((socket) => {
      void ended(socket).then(gone.resolve)
      socket.setNoDelay(true)
      for (const piece of pieces(first)) socket.write(piece)
    }, whole(2))
    const transport = open(service.baseUrl)
    expect(await transport.request(site(), request)).toEqual(said(1))
    // The client must close a connection that received an unsolicited answer.
    await gone.promise
    const later = await Promise.all([1, 2, 3].map(() => transport.request(site('jpy'), request)))
    expect(later).toEqual([said(2), said(2), said(2)])
    expect(service.requests.slice(1).every(({ connection }) => connection > 1)).toBe(true)
  })

  it('sent at the very moment when an answer too many arrives gets its own answer, or none', async () => {
    const first = 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"answer":1}'
    const service = await serve((socket) => void socket.write(first + SMUGGLED), whole(2))
    const transport = open(service.baseUrl)
    const both = transport.request(site(), request).then(() => transport.request(site('jpy'), request))
    expect(await both).toEqual(said(2))
  })
})
