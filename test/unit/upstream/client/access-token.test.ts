import { inspect } from 'node:util'
import { type ExactJson, parseExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { readAccessToken } from '../../../../src/upstream/endpoints/gateway-endpoints.ts'
import { fixture } from '../../../fixtures/upstream/read.ts'

describe('readAccessToken', () => {
  it('reads the documented answer, and shows the token to nobody', () => {
    const read = readAccessToken(fixture('access-token'))
    expect(read?.token.reveal()).toBe('eyJhbGciOiJIUzI1NiJ9.e30.c2ln')
    expect(read?.lifeMs).toBe(3_600_000)
    expect(`${JSON.stringify(read)} ${inspect(read)} ${String(read?.token)}`).not.toContain('eyJ')
  })

  it.each([
    ['3600', 3_600_000],
    ['"3600"', 3_600_000],
    ['60', 60_000],
    ['59.5', 59_500],
    ['0', 5_000],
    ['-1', 5_000],
    ['4', 5_000],
    ['1e12', 3_600_000],
    ['1e99', 3_600_000],
    ['7200', 3_600_000],
    ['null', 5_000],
    ['"soon"', 5_000],
    ['{}', 5_000],
  ])('takes expires_in %s for %i ms', (expiresIn, lifeMs) => {
    expect(readAccessToken(parseExactJson(`{"access_token":"t","expires_in":${expiresIn}}`))?.lifeMs).toBe(lifeMs)
  })

  it.each<[string, ExactJson]>([
    ['none', { expires_in: '3600' }],
    ['an empty one', { access_token: '' }],
    ['one that would end the header', { access_token: 'a\r\nb: c' }],
    ['one that is no text', { access_token: true }],
    ['one of 8193 characters', { access_token: 'x'.repeat(8_193) }],
  ])('takes no token from an answer with %s', (_name, json) => {
    expect(readAccessToken(json)).toBeNull()
  })

  it.each([[[]], [null], ['token']])('takes no token from %o', (json) => {
    expect(readAccessToken(json)).toBeNull()
  })
})
