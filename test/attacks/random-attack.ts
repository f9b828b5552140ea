import { sign } from 'payments-subgraph-sandbox'
import type { Random } from '../faults/random.ts'
import { SECRETS } from '../support/network.ts'
import { closeFrame, frame } from '../support/raw-websocket.ts'
import { paymentBody } from '../support/webhooks.ts'
import { schema } from './gate.ts'
import { misspelt } from './misspell.ts'
import { oneOf, randomOperation } from './random-operation.ts'

/** Bytes on a connection of its own; `whole` ones are one complete request, which must be answered. */
export type RequestAttack = { readonly bytes: Buffer; readonly whole: boolean }

/** The only origin that browsers may call from. */
export const ALLOWED_ORIGIN = 'https://shop.example.test'
const MOST_CHARACTERS = 99_000

/** What a parser of HTTP, JSON, GraphQL or of the protocol of sockets may stumble over. */
const DICTIONARY = [
  ['\u0000', '"', '\\', '{', '}', '[', '(', '...', '$', '@', ':', '"""', '#', '\uFEFF', '\uD800', '٣', '\n    at '],
  ['null', '-0', '1e999', '9'.repeat(40_000), 'a'.repeat(60_000), ' '.repeat(20_000), '__proto__', 'constructor'],
  ['{"a":'.repeat(4_000), '['.repeat(20_000), '... { '.repeat(300), '"query":"{ __typename }",', 'Did you mean '],
  ['%zz', '%2e%2e/', '/assets/../../../etc/passwd', 'PROPFIND ', 'HEAD ', ' HTTP/9.9', '\r\n', '\r\n\r\n'],
  ['\r\nTransfer-Encoding: chunked', '\r\nContent-Length: 5', '\r\nExpect: 100-continue', '\r\nHost: a b'],
  ['\r\nAccept: text/event-stream', '\r\nOrigin: https://evil.example.test', '\r\nX-Router-Secret: guess'],
  [
    '\r\nX-Forwarded-For: ,,::',
    '\r\nIf-None-Match: *',
    '\r\nConnection: Upgrade',
    `\r\nCookie: ${'a=b; '.repeat(3_000)}`,
  ],
].flat()

/** Returns a text with up to four changes: a part is removed, repeated, or replaced by an entry of the dictionary. */
function changed(text: string, random: Random): string {
  let result = text
  for (let left = Math.floor(random() * 5); left > 0; left -= 1) {
    const start = Math.floor(random() * (result.length + 1))
    const end = start + Math.floor(random() ** 3 * 40)
    const part = result.slice(start, end)
    const instead = oneOf(random, ['', part.repeat(1 + Math.floor(random() * 300)), oneOf(random, DICTIONARY)])
    result = `${result.slice(0, start)}${instead}${result.slice(end)}`.slice(0, MOST_CHARACTERS)
  }
  return result
}

function operation(random: Random) {
  const valid = randomOperation(schema, random)
  return random() < 0.5 ? valid : misspelt(valid, random)
}

/** Returns an operation over some transport, or a webhook, with changes in its body or address, or in all of its bytes. */
export function randomRequest(random: Random, tokens: readonly string[]): RequestAttack {
  const body = () => changed(JSON.stringify(operation(random)), random)
  const token = () => (random() < 0.3 ? [] : [`Authorization: Bearer ${oneOf(random, tokens)}`])
  const request = oneOf(random, [
    () => ({ line: 'POST /graphql', headers: token(), body: body() }),
    () => ({ line: 'POST /graphql/stream', headers: ['Accept: text/event-stream', ...token()], body: body() }),
    () => {
      const search = new URLSearchParams({ query: changed(operation(random).query, random).toWellFormed() })
      return {
        line: `GET /graphql?${search.toString()}`,
        headers: ['Apollo-Require-Preflight: true', ...token()],
        body: '',
      }
    },
    () => {
      const told = changed(paymentBody({ uuid: oneOf(random, [undefined, 'x']) }), random)
      const signature = oneOf(random, [sign(told, SECRETS.webhook), 'a'.repeat(64)])
      const path = oneOf(random, ['payments', 'payments/abc', 'agreements/abc', 'payouts/abc'])
      return { line: `POST /webhooks/${path}`, headers: [`Http-Webhook-Signature: ${signature}`], body: told }
    },
  ])()
  const length = `Content-Length: ${Buffer.byteLength(request.body)}`
  const head = [`${request.line} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...request.headers]
  if (random() < 0.6)
    return { bytes: Buffer.from([...head, 'Connection: close', length, '', request.body].join('\r\n')), whole: true }
  const several = [...head, length, '', request.body].join('\r\n').repeat(1 + Math.floor(random() * 3))
  return { bytes: Buffer.from(changed(several, random).slice(0, Math.ceil(random() * several.length))), whole: false }
}

/** Returns messages of a socket, mostly after its greeting, with changes in them, and raw frames of any kind. */
export function randomFrames(random: Random, tokens: readonly string[]): (string | Buffer)[] {
  const id = () => oneOf(random, ['1', '2', '__proto__'])
  const messages = [
    () => ({ id: id(), type: 'subscribe', payload: operation(random) }),
    () => ({ id: id(), type: 'subscribe', payload: { query: 'subscription { paymentEventStream { kind cursor } }' } }),
    () => ({ id: id(), type: 'complete' }),
    () => ({ type: oneOf(random, ['ping', 'pong', 'connection_init', 'next']), payload: { a: 1 } }),
  ]
  const strange = () =>
    oneOf(random, [
      () => changed(JSON.stringify(oneOf(random, messages)()), random),
      () =>
        frame(Math.floor(random() * 16), 'x'.repeat(random() * 200), { fin: random() < 0.5, masked: random() < 0.5 }),
      () => frame(1, '{}', { reserved: Math.floor(random() * 8), declared: BigInt(Math.floor(random() * 2 ** 40)) }),
      () => closeFrame(oneOf(random, [0, 999, 1000, 1005, 3000, 4401, 65_535]), 'x'.repeat(random() * 100)),
    ])()
  // Most frames do not make the server close the socket.
  const frames = Array.from({ length: 1 + Math.floor(random() * 40) }, () =>
    random() < 0.05 ? strange() : JSON.stringify(oneOf(random, messages)()),
  )
  const greeting = { type: 'connection_init', payload: { authorization: `Bearer ${oneOf(random, tokens)}` } }
  return random() < 0.8 ? [JSON.stringify(greeting), ...frames] : frames
}
