import type { Random } from '../../faults/random.ts'
import { oneOf } from '../random-operation.ts'
import { longText } from '../random-text.ts'

/** Approximate upper bound of a body in bytes. */
const MOST_BYTES = 100_000
const SPACES = [' ', '\t', '\n', '\r']

type Change = (text: string, random: Random) => string | Buffer

const CHANGES: readonly Change[] = [
  (text, random) => text.slice(0, Math.floor(random() * text.length)),
  (text, random) => text.replace('{', `{"query"${spaces(random, 60)}:${spaces(random, 60)}"{ __typename }",`),
  (text, random) => text.replace('{', `{"variables"${spaces(random, 20_000)}:{},`),
  (text) => text.replace('"variables":{', '"variables":{"a":1,"a":2,'),
  (text) => text.replace('{', String.raw`{"qu\u0065ry":"{ __typename }",`),
  (text, random) => `${spaces(random, 20_000)}${text}${spaces(random, 20_000)}`,
  (text) => `[${text}]`,
  (text) => `[${Array.from({ length: 40 }, () => text.slice(0, 1_000)).join(',')}]`,
  (text) => `\uFEFF${text}`,
  (_text, random) =>
    oneOf(random, ['', 'null', '1', '""', '[]', '{}', 'true', '{"query":null}', '{"query":["a"]}', 'undefined']),
  (_text, random) => `{"query":"{ __typename }","variables":{"a":${deep(random, '[', ']')}}}`,
  (_text, random) => `{"query":"{ __typename }","variables":${deep(random, '{"a":', '}', '1')}}`,
  (_text, random) => deep(random, '[', ']'),
  (_text, random) => JSON.stringify({ query: '{ __typename }', extensions: longText(random, MOST_BYTES - 1_000) }),
  (_text, random) => `{${entries(random)}}`,
  (_text, random) => `{"query":"{ __typename }","variables":{${entries(random)}}}`,
  (_text, random) => `{"query":"{ __typename }","variables":{"a":${'9'.repeat(Math.floor(random() * 90_000))}}}`,
  (_text, random) =>
    `{"query":"{ __typename }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"${'a'.repeat(Math.floor(random() * 100))}"}}}`,
  (text, random) => brokenUtf8(text, random),
  (text) => Buffer.from(text, 'utf16le'),
]

/** Returns the body of a request, changed so that it is not JSON, or is JSON with duplicate keys, too deep or too long. */
export function strangeBody(body: Buffer, random: Random): Buffer {
  return Buffer.from(oneOf(random, CHANGES)(body.toString(), random) as string)
}

function spaces(random: Random, most: number): string {
  return Array.from({ length: Math.floor(random() * most) }, () => oneOf(random, SPACES)).join('')
}

function deep(random: Random, open: string, close: string, inner = ''): string {
  const depth = Math.floor((random() * (MOST_BYTES - 1_000)) / (open.length + close.length))
  return `${open.repeat(depth)}${inner}${close.repeat(depth)}`
}

function entries(random: Random): string {
  return Array.from({ length: Math.floor(random() * 8_000) }, (_, index) => `"k${index}":${index}`).join(',')
}

function brokenUtf8(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  for (let count = 0; count < 5 && bytes.length > 0; count += 1)
    bytes[Math.floor(random() * bytes.length)] = 0x80 + Math.floor(random() * 0x80)
  return bytes
}
