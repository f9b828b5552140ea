import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { cutUnreadAnswer } from '../../../../src/http/connections/unread-answers.ts'

const UNREAD_MS = 100

async function startServer(answer: (response: ServerResponse) => Promise<unknown>): Promise<string> {
  const server = createServer((_request, response) => void answer(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function beginAnswer(url: string): Promise<IncomingMessage> {
  const [answer] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  return answer
}

/** Waits until what a peer that reads nothing is left has passed twice. */
async function timedOut(response: ServerResponse): Promise<void> {
  for (let times = 0; times < 2; times += 1) await once(response, 'timeout')
}

it('a peer that reads is not cut, however long it waits for the parts of its answer', async () => {
  const url = await startServer(async (response) => {
    cutUnreadAnswer(response, UNREAD_MS)
    for (const part of ['one ', 'two ', 'three']) {
      await timedOut(response)
      response.write(part)
    }
    response.end()
  })
  expect(await text(await beginAnswer(url))).toBe('one two three')
})

it('a peer that reads nothing is cut, also after a part that was late', async () => {
  const closed = Promise.withResolvers<void>()
  const url = await startServer(async (response) => {
    response.flushHeaders()
    cutUnreadAnswer(response, UNREAD_MS)
    await timedOut(response)
    // More than Linux buffers of a connection.
    response.end(Buffer.alloc(32 * 1024 * 1024))
    response.once('close', closed.resolve)
  })
  const answer = await beginAnswer(url)
  await closed.promise
  await expect(text(answer)).rejects.toThrow('aborted')
})
