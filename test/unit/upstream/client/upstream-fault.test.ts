import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fromResponse, notSent, unknownOutcome, UpstreamFault } from '../../../../src/upstream/upstream-fault.ts'
import { fixtureText } from '../../../fixtures/upstream/read.ts'

const refused = (httpStatus: number, body: string | null) => fromResponse(httpStatus, {}, body).detail
const nothing = { code: null, message: null, fields: [] }

describe('fromResponse', () => {
  it.each([
    ['400 without a body', 400, '', nothing],
    ['a body that could not be read', 422, null, nothing],
    ['HTML', 404, '<html><body>Not found</body></html>', nothing],
    ['truncated JSON', 422, '{"errors": {"amount"', nothing],
    ['a list', 400, '["no"]', nothing],
    [
      'errors.message alone',
      404,
      '{"errors":{"message":"No such account"}}',
      { ...nothing, message: 'No such account' },
    ],
    [
      'code and message',
      400,
      '{"errors":{"code":"BAD_REQUEST","message":"Bad query"}}',
      { ...nothing, code: 'BAD_REQUEST', message: 'Bad query' },
    ],
    ['a numeric code', 400, '{"code":4001,"message":"Bad"}', { ...nothing, code: '4001', message: 'Bad' }],
    ['a top-level error', 400, '{"error":"Token expired"}', { ...nothing, message: 'Token expired' }],
    ['a top-level message', 400, '{"message":"No"}', { ...nothing, message: 'No' }],
    [
      'an error object',
      409,
      '{"error":{"code":"taken","message":"Taken"}}',
      { ...nothing, code: 'taken', message: 'Taken' },
    ],
    ['a list of errors', 422, '{"errors":["First","Second"]}', { ...nothing, message: 'First; Second' }],
    ['errors as text', 422, '{"errors":"Wrong"}', { ...nothing, message: 'Wrong' }],
    [
      'nested fields',
      422,
      '{"errors":{"payer":{"name":["is short"]}}}',
      { ...nothing, fields: [{ path: 'payer.name', message: 'is short' }] },
    ],
    ['values of other types', 422, '{"errors":{"a":1,"b":null,"c":true,"d":""}}', nothing],
    [
      'a hostile key',
      422,
      '{"errors":{"__proto__":"polluted"}}',
      { ...nothing, fields: [{ path: '__proto__', message: 'polluted' }] },
    ],
  ])('reads %s', (_name, status, body, expected) => {
    expect(refused(status, body)).toEqual({ kind: 'refused', httpStatus: status, ...expected })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('reads a map of fields to texts and lists', () => {
    expect(refused(422, fixtureText('error-422-map'))).toMatchObject({
      fields: [
        { path: 'refund_amount', message: "can't be blank" },
        { path: 'amount', message: "can't be blank" },
        { path: 'amount', message: 'is not a number' },
      ],
    })
  })

  it('reads the message-only form', () => {
    expect(refused(422, fixtureText('error-422-message'))).toMatchObject({
      message: expect.stringMatching(/either bank/),
      fields: [],
    })
  })

  it('bounds what a hostile body makes it keep', () => {
    const errors = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 'x'.repeat(5_000)]))
    const detail = refused(422, JSON.stringify({ errors }))
    expect(JSON.stringify(detail).length).toBeLessThan(50_000)
  })

  it('sorts 401 as a matter of credentials', () => {
    const fault = fromResponse(401, {}, fixtureText('error-401'), { site: 'aud' })
    expect(fault.detail).toEqual({ kind: 'credentials', httpStatus: 401, site: 'aud' })
  })

  it('sorts 403 as a request that is not allowed, in the words of the payments API', () => {
    const body = JSON.stringify({ errors: { code: 'NOT_ALLOWED', message: 'Payouts are not enabled' } })
    const fault = fromResponse(403, {}, body, { site: 'aud' })
    expect(fault.detail).toEqual({
      kind: 'forbidden',
      httpStatus: 403,
      code: 'NOT_ALLOWED',
      message: 'Payouts are not enabled',
      fields: [],
    })
    expect(fault.code).toBe('forbidden')
    expect(fault.message).not.toContain('enabled')
  })

  const now = Date.UTC(2026, 0, 1)
  it.each([
    ['absent', {}, null],
    ['seconds', { 'retry-after': '7' }, 7],
    ['zero', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30],
    [
      'a date after the answer',
      { 'retry-after': 'Fri, 02 Jan 2026 00:00:09 GMT', date: 'Fri, 02 Jan 2026 00:00:00 GMT' },
      9,
    ],
    ['a date in the past', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    ['a day', { 'retry-after': '86400' }, 300],
    ['four hundred digits', { 'retry-after': '9'.repeat(400) }, 300],
    ['a date in another age', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 300],
    [
      'a date after that of a clock that stands still',
      { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT', date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
      300,
    ],
    ['nothing', { 'retry-after': '' }, null],
    ['nonsense', { 'retry-after': 'soon' }, null],
    ['negative', { 'retry-after': '-5' }, null],
  ])('reads Retry-After: %s', (_name, headers, seconds) => {
    expect(fromResponse(429, headers, null, { now }).detail).toEqual({
      kind: 'throttled',
      httpStatus: 429,
      retryAfterSeconds: seconds,
    })
    expect(fromResponse(503, headers, null, { now }).detail).toEqual({
      kind: 'unknown',
      reason: 'server-error',
      httpStatus: 503,
      retryAfterSeconds: seconds,
    })
  })

  it.each([
    [500, 'server-error'],
    [502, 'server-error'],
    [302, 'redirect'],
    [304, 'redirect'],
    [204, 'misshapen'],
    [101, 'unexpected-status'],
  ])('leaves the outcome open after %i', (status, reason) => {
    expect(fromResponse(status, {}, '<html>').detail).toMatchObject({ kind: 'unknown', reason, httpStatus: status })
  })
})

describe('UpstreamFault', () => {
  it('keeps upstream text out of everything that is printed', () => {
    const fault = fromResponse(422, {}, '{"errors":{"message":"jo@payer.test is blocked","jo@payer.test":"x"}}')
    const copied = Object.assign({}, fault, { message: fault.message, stack: fault.stack })
    for (const printed of [String(fault), inspect(fault), JSON.stringify(fault), JSON.stringify(copied)])
      expect(printed).not.toContain('jo@payer.test')
    expect(fault.detail).toMatchObject({ message: 'jo@payer.test is blocked' })
  })

  it('says what is known in its own words', () => {
    expect(notSent('dns').message).toBe('The payments API was not asked (dns).')
    expect(unknownOutcome('reset', 200).message).toBe('The outcome of the request is unknown (reset, 200).')
    expect(notSent('closed')).toBeInstanceOf(UpstreamFault)
    expect(notSent('closed').kind).toBe('not-sent')
  })
})
