import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { jsonPost } from '../../bench/support/http/message.ts'
import { sendAll } from '../../bench/support/http/send.ts'
import { faultOf } from '../../bench/support/http/wrk.ts'
import { Opcode, readFrames, writeFrame } from '../../bench/support/sockets/frames.ts'

describe('the check of what a load was answered', () => {
  const answered = { requests: 1_000, bytes: 500_000, refused: 0, failed: 0 }

  test('finds nothing where every answer was 200 and of the expected size', () => {
    expect(faultOf(answered, 500)).toBeNull()
  })

  test.each([
    ['refusals', { refused: 1 }, '1 of 1000 requests were not answered with 200.'],
    ['connections that end', { failed: 2 }, '2 of 1000 requests were not answered.'],
    ['silence', { requests: 0, bytes: 0 }, 'No request was answered.'],
    [
      'answers that are too short to be right',
      { bytes: 150_000 },
      'Answers have 150 bytes in the mean in place of 500.',
    ],
  ])('finds %s', (_name, difference, fault) => {
    expect(faultOf({ ...answered, ...difference }, 500)).toBe(fault)
  })
})

describe('requests over kept connections', () => {
  const requests = Array.from({ length: 20 }, (_, index) =>
    jsonPost({ path: '/', headers: {}, body: JSON.stringify({ index }) }),
  )

  test.each([null, 1_000])('are all answered, at a rate of %s', async (perSecond) => {
    const { url, bodies } = await serve(() => 200)
    const { sentAt, took } = await sendAll(url, requests, { connections: 3, perSecond }, '"ok"')
    expect(bodies.toSorted((a, b) => a - b)).toStrictEqual(requests.map((_, index) => index))
    expect([sentAt.length, took.length]).toStrictEqual([requests.length, requests.length])
    expect(took.every((milliseconds) => milliseconds > 0)).toBe(true)
  })

  test('are an error when one of them is refused, or answered otherwise', async () => {
    const { url } = await serve((index) => (index === 19 ? 503 : 200))
    await expect(sendAll(url, requests, { connections: 3, perSecond: null })).rejects.toThrow('503')
    const other = sendAll(url, requests.slice(0, 1), { connections: 1, perSecond: null }, 'something else')
    await expect(other).rejects.toThrow('Not as expected')
  })
})

test.each([5, 125, 126, 65_535])('frames with %i bytes are found, however they are cut', (length) => {
  const frame = asServer(writeFrame(Opcode.text, Buffer.alloc(length, 'x')))
  const data = Buffer.concat([frame, frame, frame.subarray(0, frame.length - 1)])
  const found: number[][] = []
  const end = readFrames(data, 0, (opcode, from, to) => found.push([opcode, to - from]))
  expect(found).toStrictEqual([
    [Opcode.text, length],
    [Opcode.text, length],
  ])
  expect(end).toBe(2 * frame.length)
})

/** Returns a client's frame without the mask, because a server's frame has none. */
function asServer(frame: Buffer): Buffer {
  const header = (frame[1] ?? 0) === (0x80 | 126) ? 4 : 2
  const unmasked = Buffer.concat([frame.subarray(0, header), frame.subarray(header + 4)])
  unmasked[1] = (unmasked[1] ?? 0) & 0x7f
  return unmasked
}

/** Starts a server that answers `{ index }` with the status of that index, and records the index. */
async function serve(statusOf: (index: number) => number): Promise<{ url: string; bodies: number[] }> {
  const bodies: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { index } = JSON.parse(Buffer.concat(chunks).toString()) as { index: number }
      bodies.push(index)
      response.writeHead(statusOf(index), { 'content-length': 4 }).end('"ok"')
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}
