import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UPLOAD_PATH } from '../../src/commands/request-identity-check.ts'
import { EVENTS_PATH, GRAPHQL_PATH } from '../../src/http/server/graphql-exchange.ts'
import { rawExchange } from '../faults/raw-http.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressOf, send } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ env: { MAX_FAILED_AUTHENTICATIONS: '30' } })))
afterAll(() => network.close())

const PART = ' '.repeat(512 * 1024)
const PARTS = 4
const CLIENTS = 20

const WITH_LENGTH = `Content-Length: ${PARTS * PART.length}`
const CHUNKED = 'Transfer-Encoding: chunked'
const JSON_TYPE = 'Content-Type: application/json'
const FORM = 'Content-Type: multipart/form-data; boundary=x'

/** Sends 2 MB, and reads the answer when everything was sent, as many clients do. Rejects if it could not be sent. */
async function answerTo(path: string, headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(network.app.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const isChunked = headers.includes(CHUNKED)
  const part = isChunked ? `${PART.length.toString(16)}\r\n${PART}\r\n` : PART
  const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', ...headers, ...(isChunked ? [] : [WITH_LENGTH])]
  socket.write(`${lines.join('\r\n')}\r\n\r\n${part}`)
  await once(socket, 'readable')
  for (let sent = 1; sent < PARTS; sent += 1)
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.write(part, (error) => (error ? reject(error) : resolve()))
    })
  socket.end(isChunked ? '0\r\n\r\n' : '')
  return text(socket)
}

/** Returns the statuses that many such clients see. */
async function statusesAt(path: string, headers: readonly string[]): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: CLIENTS }, () => answerTo(path, headers)))
  return [...new Set(answers.map((answer) => Number(answer.slice(9, 12))))]
}

describe('a refusal reaches every client that still sends its body:', () => {
  it.each<[number, string, string, readonly string[]]>([
    [413, 'a body that is too large', GRAPHQL_PATH, [JSON_TYPE]],
    [413, 'one without a length', GRAPHQL_PATH, [JSON_TYPE, CHUNKED]],
    [413, 'one that begins an event stream', EVENTS_PATH, [JSON_TYPE, 'Accept: text/event-stream']],
    [415, 'a compressed body', GRAPHQL_PATH, [JSON_TYPE, 'Content-Encoding: gzip']],
    [406, 'a stream that is no event stream', EVENTS_PATH, [JSON_TYPE, 'Accept: image/png']],
    [404, 'an address that is none', '/nowhere', [JSON_TYPE]],
    [404, 'an address that cannot be read', '/%zz', [JSON_TYPE]],
    [431, 'a header that is too long', GRAPHQL_PATH, [JSON_TYPE, `X: ${'x'.repeat(20_000)}`]],
    [400, 'a header that cannot be read', GRAPHQL_PATH, [JSON_TYPE, 'X : 1']],
    [
      413,
      'a webhook that is too large',
      '/webhooks/payments',
      [JSON_TYPE, `HTTP-WEBHOOK-SIGNATURE: ${'0'.repeat(64)}`],
    ],
    [404, 'a webhook that is none', '/webhooks/nothing', [JSON_TYPE]],
  ])('%i for %s', async (status, _what, path, headers) => {
    expect(await statusesAt(path, headers)).toEqual([status])
  })

  it('401 and 429 for who has no right to send it', async () => {
    const { url } = await addressOf(network, await createLink(network))
    expect(await statusesAt(url.replace(network.app.url, ''), [JSON_TYPE, CHUNKED])).toEqual([401])
    const guess = () => send(`${network.app.url}/webhooks/payments/unknown`)
    await Promise.all(Array.from({ length: 30 }, guess))
    expect(await statusesAt('/webhooks/payments/unknown', [JSON_TYPE])).toEqual([429])
    expect(await statusesAt(GRAPHQL_PATH, [JSON_TYPE, 'Authorization: Bearer no.real.token'])).toEqual([429])
    expect(await statusesAt(UPLOAD_PATH, [FORM])).toEqual([429])
  })
})

it('ends a connection on which a body goes on without an end', async () => {
  let sent = 0
  const chunk = `${PART.length.toString(16)}\r\n${PART}\r\n`
  const { statuses } = await rawExchange(
    network.app.url,
    (socket) => {
      socket.allowHalfOpen = true
      const more = () => {
        if (!socket.writable) return
        sent += 1
        socket.write(chunk, more)
      }
      socket.write(`POST /nowhere HTTP/1.1\r\nHost: localhost\r\n${JSON_TYPE}\r\n${CHUNKED}\r\n\r\n`, more)
    },
    20_000,
  )
  expect(statuses).toEqual([404])
  expect(sent).toBeLessThan(100)
})
