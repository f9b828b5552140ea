import { onTestFinished, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { createLeader, type Leader } from '../../../src/reconciliation/upkeep.ts'
import { present } from '../contract/builders.ts'
import { openStoreInVirtualTime } from './virtual-store.ts'

const SECOND = 1_000

const leads = (leader: Leader) => leader.lease() !== null

async function setUp() {
  const { store, time, destroy } = await openStoreInVirtualTime()
  const gained: string[] = []
  const join = (owner: string, leases: Store['leases'] = store.leases) => {
    const leader = createLeader({
      store: { leases, now: store.now },
      owner,
      logger: createLogger({ level: 'silent' }),
      timer: time.timer,
      onGained: async () => void gained.push(owner),
    })
    onTestFinished(() => leader.close())
    return leader
  }
  onTestFinished(destroy)
  return { time, store, gained, join }
}

describe('the leader', () => {
  it('is one process, for as long as it runs', async () => {
    const { time, gained, join } = await setUp()
    const [a, b] = [join('a'), join('b')]
    await a.start()
    await b.start()
    for (let second = 0; second < 300; second++) {
      await time.pass(SECOND)
      expect([leads(a), leads(b)]).toEqual([true, false])
    }
    expect(gained).toEqual(['a'])
  })

  it('is another one within ten seconds after it has closed', async () => {
    const { time, gained, join } = await setUp()
    const [a, b] = [join('a'), join('b')]
    await a.start()
    await b.start()
    await a.close()
    expect(leads(a)).toBe(false)
    await time.pass(10 * SECOND)
    expect(leads(b)).toBe(true)
    expect(gained).toEqual(['a', 'b'])
  })

  it('is another one within forty seconds after it was paused, and knows that when it comes back', async () => {
    const { time, store, gained, join } = await setUp()
    let pause = Promise.resolve()
    const a = join('a', { ...store.leases, take: (...lease) => pause.then(() => store.leases.take(...lease)) })
    const b = join('b')
    await a.start()
    await b.start()
    const { promise, resolve: goOn } = Promise.withResolvers<void>()
    pause = promise
    await time.passUntil(() => leads(b), 40 * SECOND)
    expect(leads(a)).toBe(false)
    goOn()
    await time.pass(20 * SECOND)
    expect([leads(a), leads(b)]).toEqual([false, true])
    expect(gained).toEqual(['a', 'b'])
  })

  it('stops to be one when the store does not answer, before anybody else can take over, and tries again', async () => {
    const { time, store, gained, join } = await setUp()
    let away = false
    const take: Store['leases']['take'] = (...lease) =>
      away ? Promise.reject(new Error('The database is away.')) : store.leases.take(...lease)
    const a = join('a', { ...store.leases, take })
    await a.start()
    away = true
    await time.pass(29 * SECOND)
    expect(leads(a)).toBe(true)
    await time.pass(2 * SECOND)
    expect(leads(a)).toBe(false)
    away = false
    await time.pass(10 * SECOND)
    expect(leads(a)).toBe(true)
    expect(gained).toEqual(['a', 'a'])
  })

  it('gives up a lease that the store has refused, and no later one', async () => {
    const { time, gained, join } = await setUp()
    const a = join('a')
    await a.start()
    const first = present(a.lease())
    a.lost({ ...first, fence: first.fence - 1 })
    expect(leads(a)).toBe(true)
    a.lost(first)
    expect(leads(a)).toBe(false)
    await time.pass(10 * SECOND)
    expect(gained).toEqual(['a', 'a'])
  })
})
