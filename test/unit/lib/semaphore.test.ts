import { expect, it } from 'vitest'
import { createSemaphore } from '../../../src/upstream/resilience/resilience-policy.ts'

it('hands slots on in the order of asking, and gives up after the wait', async () => {
  const slots = createSemaphore(1)
  const order: string[] = []
  const release = await slots.acquire(1_000)
  const gone = slots.acquire(1)
  const second = slots.acquire(1_000).then((free) => {
    order.push('second')
    return free
  })
  const third = slots.acquire(1_000).then((free) => {
    order.push('third')
    return free
  })
  expect(await gone).toBeNull()
  release?.()
  release?.()
  const freeSecond = await second
  expect(order).toEqual(['second'])
  freeSecond?.()
  const freeThird = await third
  freeThird?.()
  expect(order).toEqual(['second', 'third'])
  expect(await slots.acquire(0)).not.toBeNull()
})
