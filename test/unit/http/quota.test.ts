import { expect, it } from 'vitest'
import { createQuota, createRate } from '../../../src/http/quota.ts'

it('a quota gives each holder so many, and what one has returned again', () => {
  const quota = createQuota(2)
  const [first, second] = [quota.take('a'), quota.take('a')]
  expect([first, second]).not.toContain(null)
  expect(quota.take('a')).toBeNull()
  expect(quota.take('b')).not.toBeNull()
  first?.()
  first?.()
  expect(quota.take('a')).not.toBeNull()
  expect(quota.take('a')).toBeNull()
})

it('a quota of none gives any number', () => {
  const quota = createQuota(0)
  expect(Array.from({ length: 100 }, () => quota.take('a'))).not.toContain(null)
})

it('a rate lets four seconds’ worth through at once, and then as many as time brings', () => {
  let now = 1_000
  const mayGo = createRate(10, () => now)
  const through = () => Array.from({ length: 100 }, () => mayGo()).filter(Boolean).length
  expect(through()).toBe(40)
  now += 500
  expect(through()).toBe(5)
  now += 60_000
  expect(through()).toBe(40)
  now += 3_000
  expect([mayGo(20), mayGo(20), mayGo(10)]).toEqual([true, false, true])
})
