import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Changes } from '../state/sandbox-store.ts'
import { sendJson } from './json-answers.ts'

/** Maximum number of concurrent listeners. */
const MOST_LISTENERS = 64

/** Changes within this many milliseconds are sent as one event. */
const AT_MOST_EVERY_MS = 50

/** Reconnection delay in milliseconds that the feed sends to listeners. */
const RECONNECT_MS = 1000

/** Interval of keep-alive comments in milliseconds; writing one detects closed connections. */
const KEEP_ALIVE_MS = 15_000

/**
 * `GET /sandbox/changes`: server-sent events, one at the start and one after each change. An event says that something
 * changed, not what, so that a slow listener misses nothing and needs no buffer.
 */
export function registerChanges(server: FastifyInstance, changes: Changes, closing: AbortSignal): void {
  server.get('/sandbox/changes', async (_request, reply) => {
    if (changes.listeners >= MOST_LISTENERS)
      return sendJson(reply.header('retry-after', '5'), 503, { errors: { message: 'Too many are listening.' } })
    reply.hijack()
    sendChanges(reply.raw, changes, closing)
    return reply
  })
}

function sendChanges(response: ServerResponse, changes: Changes, closing: AbortSignal): void {
  let sentVersion = -1
  let pause: NodeJS.Timeout | undefined
  const send = (): void => {
    pause = undefined
    if (sentVersion === changes.version || response.writableNeedDrain) return
    sentVersion = changes.version
    response.write(`id: ${sentVersion}\nevent: change\ndata: {"version":${sentVersion}}\n\n`)
  }
  const sendSoon = (): void => {
    pause ??= setTimeout(send, AT_MOST_EVERY_MS)
  }
  const stopListening = changes.listen(sendSoon)
  const keepAlive = setInterval(() => response.writableNeedDrain || response.write(':\n\n'), KEEP_ALIVE_MS)
  const end = (): void => void response.end()
  closing.addEventListener('abort', end, { once: true })
  response.on('drain', sendSoon)
  response.once('close', () => {
    stopListening()
    clearInterval(keepAlive)
    clearTimeout(pause)
    closing.removeEventListener('abort', end)
  })
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.write(`retry: ${RECONNECT_MS}\n`)
  send()
}
