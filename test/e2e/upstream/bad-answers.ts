import { gzipSync } from 'node:zlib'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { answer, type Script } from './scripted-service.ts'

/** What the payments API does, and what the resulting fault contains. */
export type BadAnswer = readonly [name: string, script: Script, known: object]

export const silence: Script = () => undefined
const GZIP = gzipSync('{"ok":true}')
export const MEGABYTE = 1_048_576

const raw =
  (...parts: (string | Buffer)[]): Script =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

const andEnd =
  (script: Script): Script =>
  (socket, request) => {
    script(socket, request)
    socket.end()
  }

const drip =
  (status: number): Script =>
  (socket) => {
    socket.write(`HTTP/1.1 ${status} Slow\r\ncontent-length: 1000\r\n\r\n`)
    const timer = setInterval(() => socket.write(' '), 20)
    socket.on('close', () => clearInterval(timer))
  }

const rawOk = (body: Buffer): Script => raw(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`, body)

const interim: Script = (socket) => {
  const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), 20)
  socket.on('close', () => clearInterval(timer))
}

const resetMidBody: Script = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"uuid":', () => socket.resetAndDestroy())
}

/** Answers after which the outcome of a POST is unknown. */
export const OPEN_OUTCOMES: readonly BadAnswer[] = [
  ['no answer', silence, { reason: 'timeout', httpStatus: null }],
  ['slow headers', raw('HTTP/1.1 200 OK\r\nx-slow:'), { reason: 'timeout', httpStatus: null }],
  ['a body of one byte at a time', drip(200), { reason: 'timeout', httpStatus: 200 }],
  ['closed without an answer', (socket) => socket.end(), { reason: 'reset', httpStatus: null }],
  ['reset without an answer', (socket) => socket.resetAndDestroy(), { reason: 'reset', httpStatus: null }],
  ['reset within the body', resetMidBody, { reason: 'reset', httpStatus: 200 }],
  ['no HTTP at all', raw('SSH-2.0-OpenSSH\r\n\r\n'), { reason: 'reset', httpStatus: null }],
  ['truncated JSON', answer(200, '{"uuid":"7AMC'), { reason: 'not-json', httpStatus: 200 }],
  [
    'a length above the body',
    andEnd(answer(200, '{}', { 'content-length': '50' })),
    { reason: 'reset', httpStatus: 200 },
  ],
  [
    'a length below the body',
    answer(200, '{"a":1}', { 'content-length': '3' }),
    { reason: 'not-json', httpStatus: 200 },
  ],
  [
    'an HTML page',
    answer(200, '<html>ok</html>', { 'content-type': 'text/html' }),
    { reason: 'not-json', httpStatus: 200 },
  ],
  ['an empty 200', answer(200), { reason: 'empty', httpStatus: 200 }],
  ['204', raw('HTTP/1.1 204 No Content\r\n\r\n'), { reason: 'empty', httpStatus: 204 }],
  ['502 as HTML', answer(502, '<html>bad gateway</html>'), { reason: 'server-error', httpStatus: 502 }],
  ['500 as JSON', answer(500, '{"message":"oops"}'), { reason: 'server-error', httpStatus: 500 }],
  [
    '503 with a wait',
    answer(503, '', { 'retry-after': '9' }),
    { reason: 'server-error', httpStatus: 503, retryAfterSeconds: 9 },
  ],
  [
    'gzip',
    raw(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${GZIP.length}\r\n\r\n`, GZIP),
    { reason: 'encoded', httpStatus: 200 },
  ],
  [
    'invalid UTF-8',
    raw('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n', Buffer.from([0x22, 0xff, 0x22])),
    { reason: 'not-utf8', httpStatus: 200 },
  ],
  [
    'a length above 1 MB',
    answer(200, '{', { 'content-length': `${MEGABYTE + 1}` }),
    { reason: 'too-large', httpStatus: 200 },
  ],
  [
    'chunks above 1 MB',
    raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n200000\r\n${' '.repeat(0x200000)}`),
    { reason: 'too-large', httpStatus: 200 },
  ],
  [
    'headers above 16 KB',
    raw(`HTTP/1.1 200 OK\r\nx-big: ${'x'.repeat(20_000)}\r\n\r\n{}`),
    { reason: 'reset', httpStatus: null },
  ],
  ['gzip that does not say so', rawOk(GZIP), { reason: 'not-utf8', httpStatus: 200 }],
  ['a length that is none', answer(200, '{}', { 'content-length': 'two' }), { reason: 'reset', httpStatus: null }],
  [
    'two lengths',
    raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} '),
    { reason: 'reset', httpStatus: null },
  ],
  [
    'a length beside chunks',
    raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    { reason: 'reset', httpStatus: null },
  ],
  [
    'chunks of no size',
    raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n'),
    { reason: 'reset', httpStatus: 200 },
  ],
  [
    'a change of protocol',
    raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    { reason: 'reset', httpStatus: null },
  ],
  // The client closes the connection: allowed, although it could ignore the answer (RFC 9110, section 15.2).
  ['a 100 that nobody asked for', raw('HTTP/1.1 100 Continue\r\n\r\n'), { reason: 'reset', httpStatus: null }],
  ['interim answers without end', interim, { reason: 'timeout', httpStatus: null }],
  [
    'a header line without a colon',
    raw('HTTP/1.1 200 OK\r\nnonsense\r\n\r\n{}'),
    { reason: 'reset', httpStatus: null },
  ],
  ['8 500 headers', raw(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(8_500)}\r\n{}`), { reason: 'reset', httpStatus: null }],
  ['nesting of 100 000', answer(200, '['.repeat(100_000)), { reason: 'not-json', httpStatus: 200 }],
]

/** Answers that reject a request, however malformed. */
export const REFUSALS: readonly BadAnswer[] = [
  ['401', answer(401, fixtureText('error-401')), { kind: 'credentials', httpStatus: 401, site: 'aud' }],
  [
    '429 with a date',
    answer(429, '', { date: 'Fri, 02 Jan 2026 00:00:00 GMT', 'retry-after': 'Fri, 02 Jan 2026 00:00:09 GMT' }),
    { kind: 'throttled', httpStatus: 429, retryAfterSeconds: 9 },
  ],
  [
    '422 whose body breaks off',
    andEnd(answer(422, '{"errors":', { 'content-length': '500' })),
    { kind: 'refused', httpStatus: 422, message: null },
  ],
  ['422 whose body never ends', drip(422), { kind: 'refused', httpStatus: 422 }],
  [
    '400 in gzip',
    raw(`HTTP/1.1 400 Bad\r\ncontent-encoding: gzip\r\ncontent-length: ${GZIP.length}\r\n\r\n`, GZIP),
    { kind: 'refused', httpStatus: 400 },
  ],
]
