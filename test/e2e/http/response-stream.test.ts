import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ANONYMOUS } from '../../../src/access/caller.ts'
import type { AnswerStream } from '../../../src/graphql/engine/request-outcome.ts'
import { ResponseStream } from '../../../src/http/streams/response-streams.ts'
import { EVENT_FRAMING } from '../../../src/http/streams/sse-streams.ts'
import { createSharedTimer } from '../../../src/lib/timers.ts'
import { createLogger } from '../../../src/observability/logger.ts'

const MEGABYTE = 1024 * 1024

let server: Server
let socket: Socket
afterEach(() => {
  socket.destroy()
  server.close()
})

/** Starts a stream of `answers` answers of a megabyte each, and connects a socket that reads nothing until the test resumes it. */
async function streamTo(bufferedMs: number, answers: number) {
  let asked = 0
  let stopped = 0
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>()
  const stream: AnswerStream = {
    kind: 'stream',
    pull(reader) {
      if (asked === answers) return reader.end('complete')
      asked += 1
      return reader.take({ json: `"${'x'.repeat(MEGABYTE)}"`, cursor: '' })
    },
    stop() {
      stopped += 1
    },
  }
  server = createServer((request, response) => {
    new ResponseStream(
      { request, response, body: null, caller: null, turn: null },
      EVENT_FRAMING,
      { caller: ANONYMOUS, token: null, address: null },
      {
        timer: createSharedTimer(100),
        tokenEnds: { watch: () => {}, unwatch: () => {} },
        headersFor: (_request, { headers = [] }) => [...headers],
        interruptions: { expired: '[]', withdrawn: '[]', interrupted: '[]' },
        limits: { keepAliveMs: 60_000, bufferedMs },
        logger: createLogger({ level: 'silent' }),
        clock: () => new Date(),
        onClosed: () => onClosed(),
      },
    ).begin(stream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  return { closed, asked: () => asked, stopped: () => stopped }
}

describe('a peer that does not read', () => {
  it('is sent one answer at a time, and cut after the time it has', async () => {
    const { closed, asked, stopped } = await streamTo(500, 1_000)
    await closed
    // The operating systems of both peers buffer some megabytes; the exact size depends on them.
    expect(asked()).toBeLessThan(32)
    expect(stopped()).toBe(1)
  })

  it('and reads on in time is not cut, and gets the end', async () => {
    const { closed, asked } = await streamTo(30_000, 8)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.resume()
    await closed
    expect(asked()).toBe(8)
    await expect.poll(() => Buffer.concat(chunks).subarray(-64).toString()).toContain('event: complete\ndata:\n\n')
    expect(Buffer.concat(chunks).length).toBeGreaterThan(8 * MEGABYTE)
  })
})
