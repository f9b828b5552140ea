import { expect, it } from 'vitest'
import { createConcurrencyLimiter } from '../../../../src/http/limits/concurrency-limiter.ts'

it('a quota gives each holder so many, and what one has returned again', () => {
  const quota = createConcurrencyLimiter(2)
  expect([quota.acquire('a'), quota.acquire('a'), quota.acquire('a'), quota.acquire('b')]).toEqual([
    true,
    true,
    false,
    true,
  ])
  quota.release('a')
  expect([quota.acquire('a'), quota.acquire('a')]).toEqual([true, false])
})

it('a quota of none gives any number', () => {
  const quota = createConcurrencyLimiter(0)
  expect(Array.from({ length: 100 }, () => quota.acquire('a'))).not.toContain(false)
})
