import { describe, expect, it } from 'vitest'
import { createWake, type Wake } from '../../../src/live/wake.ts'
import { turns } from './log.ts'

/** Whether a wait that begins now is over after a few turns. */
async function wakesUp(wait: Promise<void>): Promise<boolean> {
  return Promise.race([wait.then(() => true), turns(3).then(() => false)])
}

describe('a wake-up', () => {
  it('ends a wait, also one that begins later', async () => {
    const wake = createWake()
    const waiting = wake.wait()
    expect(await wakesUp(waiting)).toBe(false)
    wake.ring()
    expect(await wakesUp(waiting)).toBe(true)
    wake.ring()
    expect(await wakesUp(wake.wait())).toBe(true)
  })

  it('counts once, however often it rings before a wait', async () => {
    const wake = createWake()
    for (let ring = 0; ring < 3; ring++) wake.ring()
    expect(await wakesUp(wake.wait())).toBe(true)
    expect(await wakesUp(wake.wait())).toBe(false)
  })

  it('is not remembered once it has ended a wait', async () => {
    const wake = createWake()
    const waiting = wake.wait()
    wake.ring()
    await waiting
    expect(await wakesUp(wake.wait())).toBe(false)
  })

  it.each([
    ['during a wait', (wake: Wake, wait: () => Promise<void>) => [wait(), wake.close()][0]],
    ['before a wait', (wake: Wake, wait: () => Promise<void>) => [wake.close(), wait()][1]],
  ])('waits no more after it was closed %s', async (_name, act) => {
    const wake = createWake()
    await act(wake, () => wake.wait())
    expect(wake.closed).toBe(true)
    for (let wait = 0; wait < 3; wait++) expect(await wakesUp(wake.wait())).toBe(true)
  })
})
