import { expect, it } from 'vitest'
import { createConcurrencyLimiter, takeFromRate } from '../../../../src/http/limits/flood-guard.ts'

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

it('a rate lets four seconds’ worth through at once, and then as many as time brings', () => {
  let now = 1_000
  let fullAt = 0
  const mayGo = (amount = 1) => {
    const next = takeFromRate(fullAt, amount, 10, now)
    fullAt = next ?? fullAt
    return next !== null
  }
  const through = () => Array.from({ length: 100 }, () => mayGo()).filter(Boolean).length
  expect(through()).toBe(40)
  now += 500
  expect(through()).toBe(5)
  now += 60_000
  expect(through()).toBe(40)
  now += 3_000
  expect([mayGo(20), mayGo(20), mayGo(10)]).toEqual([true, false, true])
})
