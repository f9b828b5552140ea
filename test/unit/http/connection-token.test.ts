import { expect, it } from 'vitest'
import { connectionToken } from '../../../src/http/server/client-caller.ts'

it.each<[string, unknown, string | undefined, string | null]>([
  ['nothing', undefined, undefined, null],
  ['null', null, undefined, null],
  ['no name that is known', { jwt: 'a.b.c' }, undefined, null],
  ['authorization', { authorization: 'Bearer a.b.c' }, undefined, 'a.b.c'],
  ['Authorization', { Authorization: 'Bearer a.b.c' }, undefined, 'a.b.c'],
  ['the scheme in lower case', { Authorization: 'bearer a.b.c' }, undefined, 'a.b.c'],
  ['token', { token: 'a.b.c' }, undefined, 'a.b.c'],
  ['token with its scheme', { token: 'Bearer a.b.c' }, undefined, 'a.b.c'],
  ['authorization without a scheme', { authorization: 'a.b.c' }, undefined, 'a.b.c'],
  ['another case', { AUTHORIZATION: 'BEARER a.b.c' }, undefined, 'a.b.c'],
  ['authToken', { authToken: 'a.b.c' }, undefined, 'a.b.c'],
  ['accessToken', { accessToken: 'a.b.c' }, undefined, 'a.b.c'],
  ['access_token', { access_token: 'a.b.c' }, undefined, 'a.b.c'],
  ['headers', { headers: { Authorization: 'Bearer a.b.c' } }, undefined, 'a.b.c'],
  ['a parameter before headers', { token: 'a.b.c', headers: { authorization: 'd.e.f' } }, undefined, 'a.b.c'],
  ['headers before the upgrade', { headers: { authorization: 'a.b.c' } }, 'Bearer d.e.f', 'a.b.c'],
  ['headers that are a text or a list', { headers: ['Bearer a.b.c'] }, undefined, null],
  ['headers of headers', { headers: { headers: { token: 'a.b.c' } } }, undefined, null],
  ['white space around it', { authorization: ' Bearer a.b.c' }, undefined, ' Bearer a.b.c'],
  ['names of prototypes', JSON.parse('{"__proto__":{"token":"a.b.c"},"constructor":"d.e.f"}'), undefined, null],
  ['an empty one before another', { authorization: '', token: 'a.b.c' }, undefined, 'a.b.c'],
  ['two', { token: 'd.e.f', authorization: 'Bearer a.b.c' }, undefined, 'a.b.c'],
  ['a number', { token: 1 }, undefined, null],
  ['an object', { token: { toString: () => 'a' } }, undefined, null],
  ['a list', ['Bearer a.b.c'], undefined, null],
  ['a text', 'Bearer a.b.c', undefined, null],
  ['another scheme', { authorization: 'Basic eDp5' }, undefined, 'Basic eDp5'],
  ['a header', undefined, 'Bearer a.b.c', 'a.b.c'],
  ['a header of another scheme', {}, 'Basic eDp5', 'Basic eDp5'],
  ['parameters before a header', { token: 'a.b.c' }, 'Bearer d.e.f', 'a.b.c'],
  ['a header behind empty parameters', { token: '' }, 'Bearer d.e.f', 'd.e.f'],
])('reads %s', (_name, params, authorization, token) => {
  expect(connectionToken(params, authorization === undefined ? {} : { authorization: [authorization] })).toBe(token)
})

it('does not choose between two headers', () => {
  expect(connectionToken({}, { authorization: ['Bearer a.b.c', 'Bearer d.e.f'] })).toBe('Bearer a.b.c, Bearer d.e.f')
})
