import * as fc from 'fast-check'
import { sign } from 'payments-subgraph-sandbox'
import { describe, expect, it } from 'vitest'
import { verify } from '../../../src/webhooks/signature.ts'

const SECRET = 'webhook-secret-1'
const BODY = Buffer.from('{"uuid":"PAY1","status":"received","amount":10.50}')
const RIGHT = sign(BODY, SECRET)

const isAuthentic = (header: string | undefined, body: Uint8Array = BODY, secrets = [SECRET]) =>
  verify(body, header, secrets)

describe('sign', () => {
  it('is HMAC-SHA256 in lower-case hex', () => {
    // Test case 2 of RFC 4231.
    expect(sign('what do ya want for nothing?', 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
    expect(sign(Buffer.from('é'), SECRET)).toBe(sign('é', SECRET))
  })
})

describe('verify', () => {
  it.each([
    ['as signed', RIGHT],
    ['in capitals', RIGHT.toUpperCase()],
    ['in mixed case', RIGHT.replace(/[a-f]/, (digit) => digit.toUpperCase())],
    ['with the name of the algorithm', `sha256=${RIGHT}`],
    ['with the name of the algorithm in capitals', `SHA256=${RIGHT.toUpperCase()}`],
    ['with white space around it', ` \t${RIGHT}\r\n `],
  ])('takes a signature %s', (_name, header) => expect(isAuthentic(header)).toBe(true))

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['blank', ' '],
    ['too short', RIGHT.slice(1)],
    ['too long', `${RIGHT}0`],
    ['twice', `${RIGHT}, ${RIGHT}`],
    ['twice without a space', RIGHT + RIGHT],
    ['of another algorithm', `sha1=${RIGHT}`],
    ['of an algorithm twice', `sha256=sha256=${RIGHT}`],
    ['with white space inside', `sha256= ${RIGHT}`],
    ['with quotes', `"${RIGHT}"`],
    ['with a prefix', `0x${RIGHT}`],
    ['not hexadecimal', `g${RIGHT.slice(1)}`],
    ['with a wide digit', `０${RIGHT.slice(1)}`],
    ['in base64', Buffer.from(RIGHT, 'hex').toString('base64')],
    ['of nothing', sign('', SECRET)],
    ['all zeros', '0'.repeat(64)],
    ['on two lines', `${RIGHT}\n${RIGHT}`],
    ['a megabyte', 'a'.repeat(1_000_000)],
  ])('refuses a signature that is %s', (_name, header) => expect(isAuthentic(header)).toBe(false))

  it('takes any of the live secrets, and no other', () => {
    expect(isAuthentic(RIGHT, BODY, ['new', SECRET, 'older'])).toBe(true)
    expect(isAuthentic(RIGHT, BODY, ['new', 'older'])).toBe(false)
    expect(isAuthentic(RIGHT, BODY, [])).toBe(false)
  })

  it('refuses every body but the very same bytes', () => {
    const position = fc.nat(BODY.length - 1)
    fc.assert(
      fc.property(position, fc.integer({ min: 1, max: 255 }), fc.nat(255), (at, flip, extra) => {
        const altered = Buffer.from(BODY)
        altered.writeUInt8((altered[at] ?? 0) ^ flip, at)
        const longer = Buffer.concat([BODY.subarray(0, at), Buffer.of(extra), BODY.subarray(at)])
        const shorter = Buffer.concat([BODY.subarray(0, at), BODY.subarray(at + 1)])
        for (const other of [altered, longer, shorter]) expect(isAuthentic(RIGHT, other)).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['written anew', Buffer.from(JSON.stringify(JSON.parse(BODY.toString())))],
    ['in another order', Buffer.from('{"status":"received","uuid":"PAY1","amount":10.50}')],
    ['with a byte order mark', Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), BODY])],
    ['with a line end', Buffer.concat([BODY, Buffer.from('\n')])],
    ['with another line end', Buffer.concat([BODY, Buffer.from('\r\n')])],
    ['with nothing in it', Buffer.alloc(0)],
  ])('refuses a body %s', (_name, body) => expect(isAuthentic(RIGHT, body)).toBe(false))

  it('refuses every signature that differs in one digit', () => {
    fc.assert(
      fc.property(fc.nat(63), fc.constantFrom(...'0123456789abcdef'.split('')), (at, digit) => {
        fc.pre(RIGHT[at] !== digit)
        expect(isAuthentic(RIGHT.slice(0, at) + digit + RIGHT.slice(at + 1))).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  it('takes what it signed, whatever the bytes and the secret', () => {
    const secret = fc.string({ unit: 'grapheme', minLength: 1 })
    fc.assert(
      fc.property(fc.uint8Array(), secret, secret, (body, one, other) => {
        expect(isAuthentic(sign(body, one), body, [other, one])).toBe(true)
        expect(isAuthentic(sign(body, one), body, [other])).toBe(one === other)
      }),
    )
  })
})
