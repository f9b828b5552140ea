import type { Random } from '../../faults/random.ts'
import { oneOf } from '../random-operation.ts'
import { longText } from '../random-text.ts'
import { NONCE } from './attack.ts'
import { ALLOWED_ORIGIN, TOKEN_KINDS, type TokenKind } from './fuzzed-server.ts'
import type { Question } from './random-question.ts'
import type { RequestParts } from './write-request.ts'

export type Tokens = Readonly<Record<TokenKind, string>>

type Header = readonly [name: string, value: string]

const JSON_TYPE: Header = ['Content-Type', 'application/json']
const PREFLIGHT: Header = ['Apollo-Require-Preflight', 'true']
const EVENTS: Header = ['Accept', 'text/event-stream']
const MOST_HEADER = 15_000

const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY'.split(' ')
const PATHS =
  `/graphql /graphql/ /graphql/stream /graphql/stream/x /GRAPHQL //graphql /graphql%00 /%67raphql /graphql?query=%7B__typename%7D
  / /metrics /health/live /health/ready /health/x /console /sandbox /shop /explorer /start /webhooks /webhooks/payments
  /webhooks/payments/x /webhooks/agreements/%2e%2e /webhooks/payouts/${'x'.repeat(200)} /assets/../../../etc/passwd /%2e%2e/%2e%2e/
  /favicon.ico /robots.txt /.env /.git/config /?${'a=b&'.repeat(1_000)} /${'x'.repeat(9_000)} /%ff%fe /%E0%A4%A * http://127.0.0.1/graphql`.split(
    /\s+/,
  )

type MakeHeader = (random: Random) => Header

/** Headers that have a meaning anywhere between the client and the resolvers. */
const HEADERS: readonly MakeHeader[] = [
  (random) => ['Accept', oneOf(random, ['*/*', 'application/graphql-response+json', 'text/html', 'text/event-stream'])],
  (random) => [
    'Accept',
    longText(random, MOST_HEADER, oneOf(random, ['text/event-stream ', ', ', '*/*;q=0.1, ', ' '])),
  ],
  (random) => ['Origin', oneOf(random, [ALLOWED_ORIGIN, 'https://evil.example.test', 'null', '', 'https://', '*'])],
  (random) => [
    'X-Forwarded-For',
    oneOf(random, ['203.0.113.9', '::1', 'a, b, c', ',,,', '[::ffff:1.2.3.4]:80', '1'.repeat(5_000)]),
  ],
  (random) => [
    'X-Forwarded-For',
    longText(random, MOST_HEADER, oneOf(random, ['1.1.1.1, ', ',', ':', '::ffff:', ' '])),
  ],
  (random) => ['X-Forwarded-Host', oneOf(random, ['evil.example.test', 'a, b', ''])],
  (random) => ['X-Forwarded-Proto', oneOf(random, ['https', 'javascript', ''])],
  (random) => [
    'Content-Type',
    oneOf(random, ['', 'text/plain', 'application/graphql', 'multipart/form-data; boundary=x']),
  ],
  (random) => [
    'Content-Type',
    `application/json${longText(random, MOST_HEADER, oneOf(random, [';a=b', ';', ' ', ';charset=']))}`,
  ],
  (random) => ['Accept-Encoding', oneOf(random, ['gzip', 'br;q=1', '*;q=0', 'identity'])],
  (random) => [
    'If-None-Match',
    oneOf(random, ['*', 'W/"a"', longText(random, MOST_HEADER, 'W/"a", '), '"'.repeat(9_000)]),
  ],
  (random) => ['Authorization', `Bearer ${longText(random, 9_000, oneOf(random, ['a.', '.', 'eyJ', 'a', ' ', '=']))}`],
  (random) => [
    'Authorization',
    oneOf(random, ['Bearer', 'Bearer ', 'Basic YTpi', 'bearer a.b.c', longText(random, 9_000, ' ')]),
  ],
  (random) => ['X-Router-Secret', oneOf(random, ['', 'guess', 'x'.repeat(9_000)])],
  (random) => [
    'Last-Event-Id',
    oneOf(random, ['', '1', 'v1.AAAA', longText(random, MOST_HEADER)]).replace(/[^\x20-\x7e]/g, 'x'),
  ],
  (random) => ['Expect', oneOf(random, ['100-continue', '200-ok'])],
  (random) => ['Connection', oneOf(random, ['close', 'keep-alive', 'Upgrade, HTTP2-Settings'])],
  (random) => ['Cookie', longText(random, 9_000, oneOf(random, ['a=b; ', ';', '=']))],
  (random) => ['Traceparent', oneOf(random, ['00-0-0-0', longText(random, 9_000, '0-')])],
  (random) => ['Host', oneOf(random, ['', 'a b', 'evil.example.test', 'x'.repeat(9_000)])],
  () => ['Apollo-Federation-Include-Trace', 'ftv1'],
  () => ['X-Http-Method-Override', 'POST'],
  () => ['Range', 'bytes=0-0,1-1,2-2'],
]

/** Returns an operation as a well-behaved client sends it, with some token or none. */
export function asPost(question: Question, random: Random, tokens: Tokens): RequestParts {
  return {
    method: 'POST',
    path: '/graphql',
    headers: [JSON_TYPE, ...tokenHeader(random, tokens)],
    body: bodyOf(question),
  }
}

/** Returns the same request, to be answered with server-sent events. */
export function asStream(question: Question, random: Random, tokens: Tokens): RequestParts {
  return {
    ...asPost(question, random, tokens),
    path: '/graphql/stream',
    headers: [JSON_TYPE, EVENTS, ...tokenHeader(random, tokens)],
  }
}

/** Returns an operation in a URL, which can be too long for one. */
export function asGet(question: Question, random: Random, tokens: Tokens): RequestParts {
  const { query, variables } = requestOf(question)
  const search = new URLSearchParams({ query: query.toWellFormed(), variables: JSON.stringify(variables) })
  const headers = [PREFLIGHT, ...tokenHeader(random, tokens)]
  return { method: 'GET', path: `/graphql?${search.toString()}`, headers, body: null }
}

/** Returns the request, perhaps with another method, another path or further headers. */
export function strange(request: RequestParts, random: Random): RequestParts {
  const extra = Array.from({ length: Math.floor(random() * 5) }, () => oneOf(random, HEADERS)(random))
  return {
    ...request,
    method: random() < 0.4 ? oneOf(random, METHODS) : request.method,
    path: random() < 0.4 ? oneOf(random, PATHS) : request.path,
    headers: [...request.headers, ...extra],
  }
}

/** Returns the parameters of a GraphQL request, in a document that no other attack has. */
export function requestOf({ query, variables, operationName }: Question) {
  return { query: `#${NONCE}\n${query}`, variables, operationName }
}

function bodyOf(question: Question): Buffer {
  return Buffer.from(JSON.stringify(requestOf(question)))
}

function tokenHeader(random: Random, tokens: Tokens): Header[] {
  const kind = oneOf(random, [...TOKEN_KINDS, null, null, null])
  return kind === null ? [] : [['Authorization', `Bearer ${tokens[kind]}`]]
}
