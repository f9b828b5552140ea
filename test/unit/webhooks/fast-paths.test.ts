import { readdirSync, readFileSync } from 'node:fs'
import { type ExactJson, parseExactJson, parseWithReviver, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { expect, it } from 'vitest'
import { instantFromWire } from '../../../src/upstream/wire/values/readers.ts'
import { withoutSecrets } from '../../../src/upstream/wire/values/redact.ts'
import { seeded } from '../../faults/seed.ts'
import { DEEP, UNUSABLE, USABLE } from './odd-bodies.ts'

const FIXTURES = new URL('../../fixtures/upstream/', import.meta.url)
const RANDOM_TEXTS = 20_000

/** The bodies of all fixtures and of the tests of odd bodies, as text. */
const CORPUS = [
  ...readdirSync(FIXTURES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(new URL(name, FIXTURES), 'utf8')),
  ...[...USABLE, ...UNUSABLE, ...DEEP].map(([, body]) => body.toString('utf8')),
]

/** Returns the value of a text, with every key and the digits of every number, or the name of the error. */
function outcomeOf(parse: (text: string) => ExactJson, text: string): string {
  try {
    return stringifyExactJson(parse(text))
  } catch (error) {
    return (error as Error).name
  }
}

/** Parts of JSON, and texts that look similar. Joined at random, most texts are invalid and some are valid. */
const MARKS = [...'{ } [ ] , : "a" "b": "__proto__": " "x,12" ":1" "[7"'.split(' '), ' ', '\n', '"\\"', '\\']
const SCALARS =
  '0 -0 1 1.0 1.00 10.50 1e3 1E+3 1e400 01 1. - .5 9007199254740993 true null "\\u0000" "2025-05-28T04:22+0000"'.split(
    ' ',
  )
const PIECES = [...MARKS, ...SCALARS]

it('reads every body of the corpus as the reviver does', () => {
  expect(CORPUS.length).toBeGreaterThan(60)
  for (const text of CORPUS) expect(outcomeOf(parseExactJson, text)).toBe(outcomeOf(parseWithReviver, text))
})

it('reads random texts as the reviver does', () => {
  const { between } = seeded('random texts of JSON')
  const valueOf = (depth: number): string => {
    const kind = between(0, depth > 3 ? 1 : 3)
    if (kind < 2) return SCALARS[between(0, SCALARS.length - 1)] ?? ''
    const parts = Array.from({ length: between(0, 3) }, () => valueOf(depth + 1))
    if (kind === 2) return `[${parts.join(' ,')}]`
    return `{${parts.map((part, n) => `"${['a', 'b', '__proto__', '1'][n]}" : ${part}`).join(',')}}`
  }
  let valid = 0
  for (let count = 0; count < RANDOM_TEXTS; count += 1) {
    const soup = Array.from({ length: between(1, 8) }, () => PIECES[between(0, PIECES.length - 1)] ?? '').join('')
    for (const text of [soup, valueOf(0)]) {
      const slow = outcomeOf(parseWithReviver, text)
      expect([text, outcomeOf(parseExactJson, text)]).toEqual([text, slow])
      if (!slow.endsWith('Error')) valid += 1
    }
  }
  expect(valid).toBeGreaterThan(RANDOM_TEXTS / 4)
})

/** Returns the instant of a text by the rule of the product, calculated with `Date`; null if it is invalid. */
function instantByDate(text: string): string | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})([+-])(\d\d)(\d\d)$/.exec(text)
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = match.slice(1, 8).map(Number)
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms))
  const offset = (match[8] === '-' ? -1 : 1) * (Number(match[9]) * 60 + Number(match[10]))
  if (Number(match[9]) > 14 || Number(match[10]) > 59 || !local.toISOString().startsWith(text.slice(0, 19))) return null
  const instant = new Date(local.getTime() - offset * 60_000).toISOString()
  return /^\d{4}-/.test(instant) ? instant : null
}

it('reads instants by the calendar', () => {
  const { between } = seeded('random instants')
  const digits = (least: number, most: number, length = 2) => String(between(least, most)).padStart(length, '0')
  let read = 0
  for (let count = 0; count < RANDOM_TEXTS; count += 1) {
    const year = [digits(0, 120, 4), digits(1890, 2110, 4), '9999'][between(0, 2)] ?? ''
    const zone = between(0, 1) === 0 ? '+0000' : `${between(0, 1) === 0 ? '+' : '-'}${digits(0, 15)}${digits(0, 60)}`
    const time = `${digits(0, 24)}:${digits(0, 60)}:${digits(0, 60)}.${digits(0, 999, 3)}`
    const text = `${year}-${digits(0, 13)}-${digits(0, 32)}T${time}${zone}`
    const expected = instantByDate(text)
    expect([text, instantFromWire(text)]).toEqual([text, expected])
    if (expected !== null) read += 1
  }
  expect(read).toBeGreaterThan(RANDOM_TEXTS / 10)
})

it('keeps nothing of a body that is not listed, and no prototype', () => {
  const kept = withoutSecrets(parseExactJson('{"__proto__":{"uuid":"EVIL"},"token":"t","uuid":"PAY1","amount":1.50}'))
  expect(JSON.stringify(kept)).toBe('{"uuid":"PAY1","amount":1.50}')
  expect(Object.getPrototypeOf(kept)).toBe(Object.prototype)
})
