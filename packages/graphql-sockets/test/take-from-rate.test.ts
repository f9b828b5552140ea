import { expect, it } from 'vitest'
import { takeFromRate } from '../src/take-from-rate.ts'

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
