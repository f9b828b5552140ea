import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createOriginCheck } from '../../../../src/http/server/allowed-origins.ts'

const isAllowed = createOriginCheck(['https://shop.test', 'http://localhost:5173'])

const from = (origin: string | undefined, host: string | undefined = 'pay.test') =>
  isAllowed({
    headers: { ...(origin === undefined ? {} : { origin }), ...(host === '' ? {} : { host }) },
  } as IncomingMessage)

it.each<[string, string | undefined, string | undefined]>([
  ['a program', undefined, undefined],
  ['a listed page', 'https://shop.test', undefined],
  ['a listed page with a port', 'http://localhost:5173', undefined],
  ['our own page', 'https://pay.test', undefined],
  ['our own page, with a port', 'http://127.0.0.1:4000', '127.0.0.1:4000'],
])('lets in %s', (_name, origin, host) => expect(from(origin, host)).toBe(true))

it.each<[string, string, string | undefined]>([
  ['another page', 'https://evil.test', undefined],
  ['a page without an origin', 'null', undefined],
  ['an empty origin', '', undefined],
  ['a listed name as the end of another', 'https://evilshop.test', undefined],
  ['a listed name as the beginning of another', 'https://shop.test.evil.test', undefined],
  ['a listed name with another port', 'https://shop.test:8443', undefined],
  ['a listed name with another scheme', 'http://shop.test', undefined],
  ['a listed name in capitals', 'https://SHOP.test', undefined],
  ['a listed name with a slash', 'https://shop.test/', undefined],
  ['a listed name before an at sign', 'https://shop.test@evil.test', undefined],
  ['our own name with another port', 'https://pay.test:8443', undefined],
  ['our own name as the end of another', 'https://notpay.test', undefined],
  ['our own name before an at sign', 'https://pay.test@evil.test', undefined],
  ['our own name as a path', 'https://evil.test/pay.test', undefined],
  ['a file', 'file://', undefined],
  ['a page, when no host is asked for', 'https://pay.test', ''],
  ['a listed name with blanks', ' https://shop.test', undefined],
])('keeps out %s', (_name, origin, host) => expect(from(origin, host)).toBe(false))

it('lets in our own page alone when nothing is listed', () => {
  const own = createOriginCheck([])
  const ask = (origin: string) => own({ headers: { origin, host: 'pay.test' } } as IncomingMessage)
  expect([ask('https://pay.test'), ask('https://shop.test'), ask('')]).toEqual([true, false, false])
})
