import { sign } from 'payments-subgraph-sandbox'
import type { Random } from '../../faults/random.ts'
import { SECRETS } from '../../support/network.ts'
import { paymentBody } from '../../support/webhooks.ts'
import { oneOf } from '../random-operation.ts'
import { longText } from '../random-text.ts'
import { anyValue } from '../random-value.ts'
import { randomQuestion, type Question } from './random-question.ts'

/** Bytes on a connection of its own. */
export type RequestAttack = {
  readonly bytes: Buffer
  /** Whether it is one complete request, which must be answered. */
  readonly whole: boolean
}

type Request = {
  readonly method: string
  readonly path: string
  /** As they are written; a name can occur twice. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | Buffer
}

/** The only origin that browsers may call from. */
export const ALLOWED_ORIGIN = 'https://shop.example.test'
/** Approximate upper bounds of a body and of a header in bytes. */
const MOST_BYTES = 99_000
const MOST_HEADER = 15_000
const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY'.split(' ')
const PATHS =
  `/graphql /graphql/ /graphql/stream /graphql/stream/x /GRAPHQL //graphql /graphql%00 /%67raphql /graphql?query=%7B__typename%7D
  / /metrics /health/live /health/ready /health/x /console /sandbox /shop /explorer /start /webhooks /webhooks/payments
  /webhooks/payments/x /webhooks/agreements/%2e%2e /webhooks/payouts/${'x'.repeat(200)} /assets/../../../etc/passwd /%2e%2e/%2e%2e/
  /favicon.ico /robots.txt /.env /.git/config /?${'a=b&'.repeat(1_000)} /${'x'.repeat(9_000)} /%ff%fe /%E0%A4%A * http://127.0.0.1/graphql`.split(
    /\s+/,
  )
const JSON_TYPE = ['Content-Type', 'application/json'] as const

/** Values, and units of long values, of headers that have a meaning anywhere between the client and the resolvers. */
const HEADERS: Readonly<Record<string, { readonly values?: readonly string[]; readonly units?: readonly string[] }>> = {
  Accept: {
    values: ['*/*', 'application/graphql-response+json', 'text/html', 'text/event-stream'],
    units: ['text/event-stream ', ', ', '*/*;q=0.1, '],
  },
  Origin: { values: [ALLOWED_ORIGIN, 'https://evil.example.test', 'null', '', 'https://', '*'] },
  'X-Forwarded-For': {
    values: ['203.0.113.9', '::1', 'a, b, c', ',,,', '[::ffff:1.2.3.4]:80'],
    units: ['1', '1.1.1.1, ', ',', ':', '::ffff:', ' '],
  },
  'X-Forwarded-Host': { values: ['evil.example.test', 'a, b', ''] },
  'Content-Type': {
    values: ['', 'text/plain', 'application/graphql', 'multipart/form-data; boundary=x'],
    units: ['application/json;a=b', ';', ';charset='],
  },
  'Accept-Encoding': { values: ['gzip', 'br;q=1', '*;q=0', 'identity'] },
  'If-None-Match': { values: ['*', 'W/"a"'], units: ['W/"a", ', '"'] },
  Authorization: { values: ['Bearer', 'Basic YTpi', 'bearer a.b.c'], units: ['Bearer ', 'a.', '.', 'eyJ', ' '] },
  'X-Router-Secret': { values: ['', 'guess'], units: ['x'] },
  'Last-Event-Id': { values: ['', '1', 'v1.AAAA'], units: ['a'] },
  Expect: { values: ['100-continue', '200-ok'] },
  Connection: { values: ['close', 'keep-alive', 'Upgrade, HTTP2-Settings'] },
  Cookie: { units: ['a=b; ', ';', '='] },
  Traceparent: { values: ['00-0-0-0'], units: ['0-'] },
  Host: { values: ['', 'a b', 'evil.example.test'], units: ['x'] },
  'Apollo-Federation-Include-Trace': { values: ['ftv1'] },
  'X-Http-Method-Override': { values: ['POST'] },
  Range: { values: ['bytes=0-0,1-1,2-2'] },
}

/** Returns an operation over some transport, a webhook, or one of these with another method, path, header or body, or cut short. */
export function randomRequest(random: Random, tokens: readonly string[]): RequestAttack {
  const request = oneOf(random, [asPost, asPost, asGet, asStream, webhook])(random, tokens)
  const how = random()
  if (how < 0.4) return { bytes: written(request), whole: true }
  if (how < 0.6) return { bytes: written({ ...request, body: strangeBody(String(request.body), random) }), whole: true }
  if (how < 0.8) return { bytes: written(strange(request, random)), whole: false }
  const several = Buffer.concat(Array.from({ length: 1 + Math.floor(random() * 8) }, () => written(request, [])))
  return { bytes: several.subarray(0, Math.floor(random() * several.length)), whole: false }
}

function asPost(random: Random, tokens: readonly string[]): Request {
  return {
    method: 'POST',
    path: '/graphql',
    headers: [JSON_TYPE, ...tokenHeader(random, tokens)],
    body: JSON.stringify(randomQuestion(random)),
  }
}

function asStream(random: Random, tokens: readonly string[]): Request {
  const request = asPost(random, tokens)
  return { ...request, path: '/graphql/stream', headers: [...request.headers, ['Accept', 'text/event-stream']] }
}

function asGet(random: Random, tokens: readonly string[]): Request {
  const { query, variables }: Question = randomQuestion(random)
  const search = new URLSearchParams({ query: query.toWellFormed(), variables: JSON.stringify(variables) })
  const headers = [['Apollo-Require-Preflight', 'true'] as const, ...tokenHeader(random, tokens)]
  return { method: 'GET', path: `/graphql?${search.toString()}`, headers, body: '' }
}

/** Returns a webhook with a valid signature, an invalid one or none, and any body. */
function webhook(random: Random): Request {
  const field = oneOf(random, ['uuid', 'name', 'status', 'currency', 'amount', 'total', 'payment_method', 'card', 'x'])
  const body = oneOf(random, [
    () => paymentBody({ [field]: anyValue(random) }),
    () => paymentBody({ [field]: longText(random, random() * 90_000) }),
    () => JSON.stringify(anyValue(random)),
    () => longText(random, random() * 90_000),
  ])()
  const signature = oneOf(random, [sign(body, SECRETS.webhook), sign(body, 'another secret'), '', 'a'.repeat(9_000)])
  const path = oneOf(random, ['payments', 'payments/abc', 'agreements/abc', 'payouts/abc', 'refunds', ''])
  return {
    method: 'POST',
    path: `/webhooks/${path}`,
    headers: [JSON_TYPE, ['Http-Webhook-Signature', signature]],
    body,
  }
}

function strange(request: Request, random: Random): Request {
  const extra = Array.from({ length: Math.floor(random() * 5) }, () => {
    const [name, { values = [], units = [] }] = oneOf(random, Object.entries(HEADERS))
    const value = oneOf(random, [
      ...values.map((text) => () => text),
      ...units.map((unit) => () => longHeader(random, unit)),
    ])
    return [name, value()] as const
  })
  return {
    ...request,
    method: random() < 0.4 ? oneOf(random, METHODS) : request.method,
    path: random() < 0.4 ? oneOf(random, PATHS) : request.path,
    headers: [...request.headers, ...extra],
  }
}

function longHeader(random: Random, unit: string): string {
  return longText(random, MOST_HEADER, unit).replace(/[^\x20-\x7e]/g, 'x')
}

/** Returns a body that is not JSON, or is JSON with duplicate keys, too deep or too long. */
function strangeBody(text: string, random: Random): string | Buffer {
  const deep = (open: string, close: string, inner = '') => {
    const depth = Math.floor((random() * MOST_BYTES) / (open.length + close.length))
    return `${open.repeat(depth)}${inner}${close.repeat(depth)}`
  }
  const entries = Array.from({ length: Math.floor(random() * 8_000) }, (_, index) => `"k${index}":${index}`).join(',')
  const blanks = ' '.repeat(random() * 20_000)
  return oneOf<string | Buffer>(random, [
    text.slice(0, Math.floor(random() * text.length)),
    text.replace('{', `{"query"${blanks}:${blanks}"{ __typename }",`),
    text.replace('"variables":{', '"variables":{"a":1,"a":2,'),
    text.replace('{', String.raw`{"qu\u0065ry":"{ __typename }",`),
    `[${text}]`,
    `\uFEFF${text}`,
    oneOf(random, ['', 'null', '1', '""', '[]', '{}', 'true', '{"query":null}', '{"query":["a"]}', 'undefined']),
    `{"query":"{ __typename }","variables":{"a":${deep('[', ']')}}}`,
    `{"query":"{ __typename }","variables":${deep('{"a":', '}', '1')}}`,
    JSON.stringify({ query: '{ __typename }', extensions: longText(random, MOST_BYTES) }),
    `{"query":"{ __typename }","variables":{${entries}}}`,
    `{"query":"{ __typename }","variables":{"a":${'9'.repeat(random() * 90_000)}}}`,
    `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${'a'.repeat(random() * 100)}"}}}`,
    Buffer.from(Array.from(Buffer.from(text), (byte) => (random() < 0.01 ? 0x80 : byte))),
    Buffer.from(text, 'utf16le'),
  ])
}

function tokenHeader(random: Random, tokens: readonly string[]): (readonly [string, string])[] {
  return random() < 0.3 ? [] : [['Authorization', `Bearer ${oneOf(random, tokens)}`]]
}

/** Returns the bytes of a request, without any check of its parts. */
function written(
  { method, path, headers, body }: Request,
  more: Request['headers'] = [['Connection', 'close']],
): Buffer {
  const host: Request['headers'] = headers.some(([name]) => name === 'Host') ? [] : [['Host', 'localhost']]
  const length = ['Content-Length', String(Buffer.byteLength(body))] as const
  const lines = [...host, ...headers, ...more, length].map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`),
    Buffer.from(body as string),
  ])
}
