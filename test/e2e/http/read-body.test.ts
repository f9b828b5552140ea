import { once } from 'node:events'
import { createServer, request, type ClientRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readBody, type BodyFault, type BodyLimits } from '../../../src/lib/read-body.ts'

const LIMITS = { bytes: 100, milliseconds: 5_000 } satisfies BodyLimits

type Reading = { readonly sender: ClientRequest; readonly result: Promise<Buffer | BodyFault> }

/** Opens a request whose body a real server reads. The server waits for `before` first. */
async function readingOf(
  limits: BodyLimits,
  before: (message: IncomingMessage) => Promise<unknown> = async () => {},
): Promise<Reading> {
  const { promise: result, resolve } = Promise.withResolvers<Buffer | BodyFault>()
  const server = createServer((message, response) => {
    before(message)
      .then(() => readBody(message, limits))
      .then((read) => {
        resolve(read)
        return response.end()
      })
      .catch((error: unknown) => message.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const sender = request({ port, host: '127.0.0.1', method: 'POST', agent: false })
  sender.on('error', () => {})
  return { sender, result }
}

describe('readBody', () => {
  it.each([
    ['in one piece', ['0123456789'.repeat(10)]],
    ['in many pieces', Array.from({ length: 100 }, () => 'x')],
    ['that is empty', []],
  ])('reads a body %s, to the limit', async (_name, pieces) => {
    const { sender, result } = await readingOf(LIMITS)
    for (const piece of pieces) sender.write(piece)
    sender.end()
    expect(String(await result)).toBe(pieces.join(''))
  })

  it('counts what comes, whatever the headers say', async () => {
    const { sender, result } = await readingOf(LIMITS)
    sender.write('0123456789'.repeat(10))
    sender.write('!')
    expect(await result).toBe('too-large')
    sender.end('more, which is read into nothing'.repeat(1_000))
    const [answer] = (await once(sender, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(200)
    answer.resume()
  })

  it('waits no longer than it may', async () => {
    const { sender, result } = await readingOf({ ...LIMITS, milliseconds: 20 })
    sender.write('{')
    expect(await result).toBe('timeout')
    sender.destroy()
  })

  it('notices that the sender is gone', async () => {
    const { sender, result } = await readingOf(LIMITS)
    sender.write('{', () => sender.destroy())
    expect(await result).toBe('aborted')
  })

  it('notices that the sender was gone before it began to read', async () => {
    const { sender, result } = await readingOf(LIMITS, (message) => {
      message.on('error', () => {})
      return new Promise((resolve) => message.once('close', resolve))
    })
    sender.write('{', () => sender.destroy())
    expect(await result).toBe('aborted')
  })

  it('takes an error of the stream for a sender that is gone', async () => {
    const stream = new PassThrough()
    const result = readBody(stream, LIMITS)
    stream.destroy(new Error('cut'))
    expect(await result).toBe('aborted')
  })
})
