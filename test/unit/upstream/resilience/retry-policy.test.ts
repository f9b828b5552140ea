import { describe, expect, it } from 'vitest'
import {
  createRetryBudget,
  type Method,
  retryDelayMs,
  shouldRetry,
} from '../../../../src/upstream/resilience/resilience-policy.ts'
import type { FaultDetail, NotSentReason, UnknownReason } from '../../../../src/upstream/upstream-fault.ts'

const unsent = (reason: NotSentReason): FaultDetail =>
  reason === 'breaker-open' ? { kind: 'not-sent', reason, retryAfterSeconds: 1 } : { kind: 'not-sent', reason }
const unknown = (reason: UnknownReason, retryAfterSeconds: number | null = null): FaultDetail => ({
  kind: 'unknown',
  reason,
  httpStatus: null,
  retryAfterSeconds,
})
const throttled = (retryAfterSeconds: number | null): FaultDetail => ({
  kind: 'throttled',
  httpStatus: 429,
  retryAfterSeconds,
})
const refused: FaultDetail = { kind: 'refused', httpStatus: 422, code: null, message: null, fields: [] }
const credentials: FaultDetail = { kind: 'credentials', httpStatus: 401, site: 'aud' }

describe('shouldRetry', () => {
  it.each<[Method, number, FaultDetail, boolean]>([
    ['GET', 1, unsent('refused'), true],
    ['GET', 2, unsent('dns'), true],
    ['GET', 3, unsent('dns'), false],
    ['GET', 1, unsent('breaker-open'), false],
    ['POST', 1, unsent('breaker-open'), false],
    ['GET', 1, unknown('timeout'), true],
    ['GET', 2, unknown('reset'), true],
    ['GET', 3, unknown('reset'), false],
    ['GET', 1, unknown('server-error'), true],
    ['GET', 1, unknown('server-error', 4), true],
    ['GET', 1, unknown('server-error', 5), false],
    ['GET', 1, unknown('not-json'), true],
    ['GET', 1, unknown('redirect'), false],
    ['GET', 1, unknown('too-large'), false],
    ['GET', 1, unknown('encoded'), false],
    ['GET', 1, unknown('misshapen'), false],
    ['GET', 1, unknown('mismatch'), false],
    ['GET', 1, throttled(null), false],
    ['GET', 1, throttled(4), true],
    ['GET', 1, throttled(5), false],
    ['GET', 1, refused, false],
    ['GET', 1, credentials, false],
    ['POST', 1, unsent('refused'), true],
    ['POST', 2, unsent('tls'), true],
    ['POST', 3, unsent('tls'), false],
    ['POST', 1, unsent('closed'), false],
    ['POST', 1, unsent('no-slot'), false],
    ['POST', 1, unsent('invalid-request'), false],
    ['POST', 1, unknown('timeout'), false],
    ['POST', 1, unknown('reset'), false],
    ['POST', 1, unknown('server-error', 1), false],
    ['POST', 1, throttled(1), false],
    ['POST', 1, refused, false],
    ['POST', 1, credentials, false],
  ])('%s, attempt %i, %o: %s', (method, attempt, fault, expected) => {
    expect(shouldRetry({ method, attempt, fault, remainingMs: 5_000 })).toBe(expected)
  })

  it('ends with the deadline', () => {
    expect(shouldRetry({ method: 'GET', attempt: 1, fault: unsent('dns'), remainingMs: 0 })).toBe(false)
  })
})

describe('retryDelayMs', () => {
  it.each([
    [1, 0, 0],
    [1, 0.5, 50],
    [2, 0.5, 100],
    [2, 0.999, 199],
    [9, 0.5, 1_000],
  ])('attempt %i with jitter %d waits %i ms', (attempt, random, expected) => {
    expect(retryDelayMs({ attempt, fault: unsent('dns') }, () => random)).toBe(expected)
  })

  it('never comes back sooner than the payments API asked', () => {
    expect(retryDelayMs({ attempt: 1, fault: throttled(3) }, () => 0)).toBe(3_000)
    expect(retryDelayMs({ attempt: 1, fault: unknown('server-error', 2) }, () => 0.5)).toBe(2_050)
  })
})

// promise(upstream): In a brown-out retries add at most a tenth to the load of a site.
describe('retry budget', () => {
  it('lets a tenth of the requests be repeated once its reserve is used up', () => {
    const budget = createRetryBudget()
    let retries = 0
    for (let request = 0; request < 1_000; request += 1) {
      budget.earn()
      if (budget.spend()) retries += 1
    }
    expect(retries).toBeGreaterThanOrEqual(100)
    expect(retries).toBeLessThanOrEqual(111)
  })
})
