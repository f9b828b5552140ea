import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { PayinMethod } from '../../../../src/domain/methods/payin-method.ts'
import { createSites, type Site } from '../../../../src/upstream/client/sites.ts'
import { createMethodCache, isCurrent } from '../../../../src/upstream/methods/method-cache.ts'
import { notSent } from '../../../../src/upstream/upstream-fault.ts'
import { payinMethod } from '../../../support/payin-method.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

const site = (id: string, ...currencies: string[]) => ({ id, appId: `app-${id}`, secretKey: `key-${id}`, currencies })

function method(code: string, currency: string, name = code): PayinMethod {
  return payinMethod({ code, name, currency, countryCode: null, kind: 'OTHER', kindRaw: code })
}

/** Creates a payments API whose answers the test sets, and a cache whose clock the test advances. */
function stage(settings = [site('au', 'AUD'), site('jp', 'JPY')]) {
  const fixture = {
    now: 0,
    calls: [] as string[],
    down: new Set<string>(),
    lists: {
      au: [method('au_card_aud', 'AUD')],
      jp: [method('jp_card_jpy', 'JPY'), method('jp_bank_jpy', 'JPY')],
    } as Record<string, PayinMethod[]>,
  }
  const load = async ({ id }: Site): Promise<PayinMethod[]> => {
    fixture.calls.push(id)
    await turn()
    if (fixture.down.has(id)) throw notSent('refused')
    return structuredClone(fixture.lists[id] ?? [])
  }
  return { fixture, cache: createMethodCache({ load, sites: createSites(settings), clock: () => fixture.now }) }
}

/** Waits until a renewal in the background has ended. */
async function settled(): Promise<void> {
  await turn()
  await turn()
}

const codesOf = (list: { methods: readonly PayinMethod[] }) => list.methods.map(({ code }) => code)

describe('a fresh list', () => {
  // promise(upstream): Any number of readers of an expired list are one request for each site.
  it('costs one call per site for 300 callers at once', async () => {
    const { fixture, cache } = stage()
    const lists = await Promise.all(Array.from({ length: 300 }, async () => cache.list()))
    expect(fixture.calls.sort()).toEqual(['au', 'jp'])
    expect(codesOf(lists[0] ?? { methods: [] })).toEqual(['au_card_aud', 'jp_card_jpy', 'jp_bank_jpy'])
    expect(new Set(lists.map(({ methods }) => methods)).size).toBe(1)
  })

  it('is the same frozen array until something changes', async () => {
    const { fixture, cache } = stage()
    const first = await cache.list(['JPY'])
    fixture.now = 5 * MINUTE
    expect(await cache.list(['JPY'])).toBe(first)
    expect((await cache.list(['JPY', 'JPY', 'XXX'])).methods).toBe(first.methods)
    expect(Object.isFrozen(first.methods)).toBe(true)
    expect(fixture.calls).toEqual(['jp'])
  })

  it('asks only the sites that serve the currencies', async () => {
    const { fixture, cache } = stage()
    expect(codesOf(await cache.list(['JPY']))).toEqual(['jp_card_jpy', 'jp_bank_jpy'])
    expect(await cache.list(['KRW'])).toMatchObject({ methods: [], stale: false, unavailable: [] })
    expect(await cache.list([])).toMatchObject({ methods: [], unavailable: [] })
    expect(fixture.calls).toEqual(['jp'])
  })

  it('merges two sites of one currency, each code once, the first listed first', async () => {
    const { fixture, cache } = stage([site('au', 'AUD'), site('more', 'AUD', 'NZD')])
    fixture.lists['more'] = [
      method('au_card_aud', 'AUD', 'Other'),
      method('au_npp_aud', 'AUD'),
      method('nz_card_nzd', 'NZD'),
    ]
    const list = await cache.list(['AUD'])
    expect(codesOf(list)).toEqual(['au_card_aud', 'au_npp_aud'])
    expect(list.methods[0]?.name).toBe('au_card_aud')
    expect(codesOf(await cache.list(['NZD']))).toEqual(['nz_card_nzd'])
    expect(fixture.calls.sort()).toEqual(['au', 'more'])
  })
})

describe('freshness', () => {
  it('tells how old the list of a site is, and when it is stale, without asking', async () => {
    const { fixture, cache } = stage()
    expect(cache.freshness('au')).toBeNull()
    const { fetchedAt } = await cache.list(['AUD'])
    expect(cache.freshness('au')).toMatchObject({ fetchedAt, stale: false })
    expect(cache.freshness('jp')).toBeNull()

    fixture.now = 6 * MINUTE
    fixture.down.add('au')
    await cache.list(['AUD'])
    await settled()
    expect(cache.freshness('au')).toMatchObject({ fetchedAt, stale: true })
    fixture.now = 61 * MINUTE
    expect(cache.freshness('au')).toBeNull()
    expect(fixture.calls).toEqual(['au', 'au'])
  })
})

describe('what others may keep', () => {
  it('is a list of sites that all answered within its time to live', async () => {
    const { fixture, cache } = stage()
    const isKept = async (...currencies: string[]) => isCurrent(await cache.list(currencies))
    expect(await isKept('AUD', 'JPY')).toBe(true)
    fixture.now = 5 * MINUTE
    expect(await isKept('AUD', 'JPY')).toBe(true)
    fixture.down.add('au')
    fixture.now = 5 * MINUTE + 1
    // The renewal has not failed yet.
    expect(await isKept('JPY')).toBe(false)
    await settled()
    expect(await isKept('JPY')).toBe(true)
    expect(await isKept('AUD')).toBe(false)
    await settled()
    expect(await isKept('AUD')).toBe(false)
    fixture.now = 62 * MINUTE
    expect(await isKept('AUD')).toBe(false)
    fixture.down.clear()
    fixture.now = 64 * MINUTE
    expect(await isKept('AUD')).toBe(true)
    expect(await isKept('KRW')).toBe(true)
  })

  it.each<[what: string, code: string, doubts: number, ...down: string[]]>([
    ['a method of a current list', 'jp_bank_jpy', 0],
    ['a method beside a site that is away', 'jp_bank_jpy', 0, 'au'],
    ['no method by that code anywhere', 'zz_none_zzz', 0],
    ['no method, while a site is away', 'zz_none_zzz', 1, 'au'],
    ['no method of a site that is away', 'au_card_aud', 1, 'au'],
  ])('is the answer to find: %s', async (_what, code, doubts, ...down) => {
    const { fixture, cache } = stage()
    fixture.down = new Set(down)
    let told = 0
    await cache.find(code, () => (told += 1))
    expect(told).toBe(doubts)
  })
})

describe('find', () => {
  it('finds a method by its code, asking only the site of its currency', async () => {
    const { fixture, cache } = stage()
    expect((await cache.find('jp_bank_jpy'))?.currency).toBe('JPY')
    expect(fixture.calls).toEqual(['jp'])
  })

  it('looks everywhere for a code that does not tell its currency', async () => {
    const { fixture, cache } = stage()
    fixture.lists['au']?.push(method('opaque', 'AUD'))
    expect((await cache.find('opaque'))?.currency).toBe('AUD')
    expect(await cache.find('zz_none_aud')).toBeNull()
  })
})

describe('past its time to live', () => {
  it('is served at once while one call renews it', async () => {
    const { fixture, cache } = stage([site('au', 'AUD')])
    const first = await cache.list()
    fixture.lists['au'] = [method('au_new_aud', 'AUD')]
    fixture.now = 5 * MINUTE + 1
    const served = await Promise.all(Array.from({ length: 1_000 }, async () => cache.list()))
    expect(new Set(served.map(({ methods }) => methods))).toEqual(new Set([first.methods]))
    expect(served[0]?.stale).toBe(false)
    await settled()
    expect(codesOf(await cache.list())).toEqual(['au_new_aud'])
    expect(fixture.calls).toEqual(['au', 'au'])
  })

  it('is flagged once a renewal has failed, for up to an hour, and recovers', async () => {
    const { fixture, cache } = stage()
    const { fetchedAt } = await cache.list()
    fixture.down.add('au')
    fixture.now = 6 * MINUTE
    expect((await cache.list()).stale).toBe(false)
    await settled()
    expect(await cache.list()).toMatchObject({ stale: true, unavailable: [] })
    expect((await cache.list(['JPY'])).stale).toBe(false)
    expect((await cache.list(['AUD'])).fetchedAt).toEqual(fetchedAt)
    fixture.now = 60 * MINUTE
    expect(codesOf(await cache.list(['AUD']))).toEqual(['au_card_aud'])
    await settled()
    fixture.now = 60 * MINUTE + 1
    expect(await cache.list(['AUD'])).toMatchObject({ methods: [], stale: false, unavailable: ['AUD'] })
    fixture.down.clear()
    fixture.now = 62 * MINUTE
    expect(await cache.list(['AUD'])).toMatchObject({ stale: false, unavailable: [] })
    expect(codesOf(await cache.list(['AUD']))).toEqual(['au_card_aud'])
  })
})

describe('while a site is away', () => {
  it('names its currencies, and serves the others', async () => {
    const { fixture, cache } = stage([site('eu', 'USD', 'CAD'), site('jp', 'JPY')])
    fixture.down.add('eu')
    const list = await cache.list()
    expect(codesOf(list)).toEqual(['jp_card_jpy', 'jp_bank_jpy'])
    expect(list.unavailable).toEqual(['CAD', 'USD'])
    expect((await cache.list(['USD', 'JPY'])).unavailable).toEqual(['USD'])
  })

  it('does not call a currency unavailable that another site serves', async () => {
    const { fixture, cache } = stage([site('au', 'AUD'), site('more', 'AUD', 'NZD')])
    fixture.down.add('more')
    expect(await cache.list()).toMatchObject({ unavailable: ['NZD'] })
  })

  it('asks it again after 5 seconds, doubling to a minute', async () => {
    const { fixture, cache } = stage([site('au', 'AUD')])
    fixture.down.add('au')
    const attempts: number[] = []
    for (fixture.now = 0; fixture.now <= 4 * MINUTE; fixture.now += SECOND) {
      const before = fixture.calls.length
      await cache.list()
      if (fixture.calls.length > before) attempts.push(fixture.now / SECOND)
    }
    expect(attempts).toEqual([0, 5, 15, 35, 75, 135, 195])
  })

  it('does not hold up the lists of others while it is asked again and hangs', async () => {
    let hangs = false
    let now = 0
    const load = async ({ id }: Site) => {
      if (id === 'jp') return [method('jp_card_jpy', 'JPY')]
      if (hangs) await new Promise(() => {})
      throw notSent('refused')
    }
    const sites = createSites([site('au', 'AUD'), site('jp', 'JPY')])
    const cache = createMethodCache({ load, sites, clock: () => now })
    expect(cache.known()).toBeNull()
    const { methods } = await cache.list()
    hangs = true
    for (now = MINUTE; now < 4 * MINUTE; now += MINUTE)
      expect(cache.list()).toMatchObject({ methods, unavailable: ['AUD'] })
    expect(cache.known(['AUD'])).toMatchObject({ methods: [], unavailable: ['AUD'] })
    // Here is nothing else to answer with.
    expect(cache.list(['AUD'])).toBeInstanceOf(Promise)
  })
})
