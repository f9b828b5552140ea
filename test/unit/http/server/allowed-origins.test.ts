import { expect, it } from 'vitest'
import { createOrigins } from '../../../../src/http/server/origins.ts'

const QUIET = { warn: () => {} }
const originsOf = (allowedOrigins: string[], logger: Parameters<typeof createOrigins>[1] = QUIET) =>
  createOrigins({ allowedOrigins, publicUrl: 'https://public.test' }, logger)
const { isAllowed } = originsOf(['https://shop.test', 'http://localhost:5173'])

const from = (origin: string | undefined, host: string | undefined = 'pay.test') =>
  isAllowed({
    headers: { ...(origin === undefined ? {} : { origin }), ...(host === '' ? {} : { host }) },
  })

it.each<[string, string | undefined, string | undefined]>([
  ['a program', undefined, undefined],
  ['a listed page', 'https://shop.test', undefined],
  ['a listed page with a port', 'http://localhost:5173', undefined],
  ['our own page', 'https://pay.test', undefined],
  ['our own page, with a port', 'http://127.0.0.1:4000', '127.0.0.1:4000'],
  ['our own page, where a proxy adds the default port', 'https://pay.test', 'pay.test:443'],
  ['our own page, where a proxy writes capitals', 'https://pay.test', 'PAY.test'],
  ['our public page, where a proxy sends the address of the node', 'https://public.test', '10.0.0.7:4000'],
  ['our public page, where a proxy sends a name of its own', 'https://public.test', 'payments_backend'],
  ['our public page without a host', 'https://public.test', ''],
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
  ['our public name with another scheme', 'http://public.test', '10.0.0.7:4000'],
  ['our public name with another port', 'https://public.test:8443', '10.0.0.7:4000'],
  ['our own name with the default port of another scheme', 'https://pay.test', 'pay.test:80'],
  ['another page, where a proxy sends the address of the node', 'https://evil.test', '10.0.0.7:4000'],
  ['another page, whose host is a part of ours', 'https://evil.test', 'pay.test@evil.test'],
  ['our own name with another port', 'https://pay.test:8443', undefined],
  ['our own name as the end of another', 'https://notpay.test', undefined],
  ['our own name before an at sign', 'https://pay.test@evil.test', undefined],
  ['our own name as a path', 'https://evil.test/pay.test', undefined],
  ['a file', 'file://', undefined],
  ['a page, when no host is asked for', 'https://pay.test', ''],
  ['a listed name with blanks', ' https://shop.test', undefined],
])('keeps out %s', (_name, origin, host) => expect(from(origin, host)).toBe(false))

it('lets in our own page alone when nothing is listed', () => {
  const own = originsOf([])
  const ask = (origin: string) => own.isAllowed({ headers: { origin, host: 'pay.test' } })
  expect([ask('https://pay.test'), ask('https://shop.test'), ask('')]).toEqual([true, false, false])
})

it.each<[string, boolean]>([
  ['http://localhost:5173', true],
  ['http://127.0.0.1:3000', true],
  ['https://[::1]:8443', true],
  ['http://localhost', true],
  ['https://shop.test', true],
  ['http://localhost.evil.test', false],
  ['http://evil.test/localhost:5173', false],
  ['http://localhost:5173@evil.test', false],
  ['http://10.0.0.1:5173', false],
  ['null', false],
])('of `loopback` and a listed origin, %s is allowed: %s', (origin, expected) => {
  const { isAllowed: allows, isListed } = originsOf(['loopback', 'https://shop.test'])
  expect([allows({ headers: { origin, host: 'pay.test' } }), isListed(origin)]).toEqual([expected, expected])
})

it('logs a refused origin once, with the setting, and no more than twenty of them', () => {
  const lines: unknown[] = []
  const origins = originsOf([], { warn: (fields: object) => void lines.push(fields) })
  const ask = (origin: string) => origins.isAllowed({ headers: { origin, host: 'pay.test' } })
  ask('https://pay.test')
  for (let turn = 0; turn < 3; turn += 1) ask('http://localhost:5173')
  expect(lines).toEqual([{ origin: 'http://localhost:5173', setting: 'ALLOWED_ORIGINS' }])
  for (let turn = 0; turn < 50; turn += 1) ask(`https://${turn}.test`)
  expect(lines).toHaveLength(20)
})
