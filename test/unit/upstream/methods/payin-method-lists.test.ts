import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSites, type Site } from '../../../../src/upstream/client/sites.ts'
import { createMethodCache, isCurrent } from '../../../../src/upstream/methods/method-cache.ts'
import { createPayinMethodLists } from '../../../../src/upstream/methods/payin-method-lists.ts'
import { notSent } from '../../../../src/upstream/upstream-fault.ts'
import { payinMethod } from '../../../support/payin-method.ts'

const MINUTE = 60_000
const SITES = ['AUD', 'JPY'].map((currency) => ({
  id: currency.toLowerCase(),
  appId: `app-${currency}`,
  secretKey: `key-${currency}`,
  currencies: [currency],
}))

/** Creates both lists of two sites; the test sets what does not answer, as `LINK aud`, and what hangs, as `LINK`. */
function stage() {
  const fixture = { now: 0, calls: [] as string[], down: new Set<string>(), hanging: new Set<string>() }
  const sites = createSites(SITES)
  const cache = (use: 'LINK' | 'DIRECT', codes: Record<string, string[]>) =>
    createMethodCache({
      sites,
      clock: () => fixture.now,
      load: async ({ id, currencies: [currency = ''] }: Site) => {
        fixture.calls.push(`${use} ${id}`)
        await turn()
        if (fixture.hanging.has(use)) await new Promise(() => {})
        if (fixture.down.has(`${use} ${id}`)) throw notSent('refused')
        return (codes[id] ?? []).map((code) => payinMethod({ code, currency, usableFor: [use] }))
      },
    })
  const link = cache('LINK', { aud: ['au_card_aud', 'au_alias_npp_aud'], jpy: ['jp_card_jpy'] })
  const direct = cache('DIRECT', { aud: ['opaque', 'au_alias_npp_aud'], jpy: ['jp_card_jpy'] })
  return { fixture, direct, lists: createPayinMethodLists({ link, direct, sites }) }
}

describe('the methods for links and those for direct payins', () => {
  it('are one list, for one call of each list and site', async () => {
    const { fixture, lists } = stage()
    const [first] = await Promise.all(Array.from({ length: 300 }, async () => lists.list()))
    expect(first?.methods.map(({ code, usableFor }) => [code, usableFor.join()])).toEqual([
      ['au_card_aud', 'LINK'],
      ['au_alias_npp_aud', 'LINK,DIRECT'],
      ['jp_card_jpy', 'LINK,DIRECT'],
      ['opaque', 'DIRECT'],
    ])
    expect(fixture.calls.toSorted()).toEqual(['DIRECT aud', 'DIRECT jpy', 'LINK aud', 'LINK jpy'])
    expect(first).toMatchObject({ stale: false, expired: false, unavailable: [], missing: [] })
  })

  it('are the same array of the same methods until one of them changes', async () => {
    const { fixture, lists } = stage()
    const { methods } = await lists.list(['AUD'])
    fixture.now = 6 * MINUTE
    await expect.poll(async () => (await lists.list(['AUD'])).expired).toBe(false)
    expect((await lists.list(['AUD'])).methods).toBe(methods)
    expect(await lists.find('au_card_aud')).toBe(methods[0])
    expect(Object.isFrozen(methods) && methods.every((method) => Object.isFrozen(method))).toBe(true)
  })

  it('name what is missing, and are not current then', async () => {
    const { fixture, lists } = stage()
    fixture.down = new Set(['DIRECT aud', 'LINK jpy', 'DIRECT jpy'])
    const list = await lists.list()
    expect(list.methods.map(({ code, usableFor }) => [code, usableFor.join()])).toEqual([
      ['au_card_aud', 'LINK'],
      ['au_alias_npp_aud', 'LINK'],
    ])
    expect(list.unavailable).toEqual(['AUD', 'JPY'])
    expect(list.missing).toEqual([
      { currency: 'JPY', use: 'LINK' },
      { currency: 'AUD', use: 'DIRECT' },
      { currency: 'JPY', use: 'DIRECT' },
    ])
    expect(isCurrent(list)).toBe(false)
  })

  it.each([
    ['DIRECT', 'au_card_aud'],
    ['LINK', 'au_alias_npp_aud'],
  ] as const)(
    'are given while the list for %s, which failed before, is asked for again and hangs',
    async (use, code) => {
      const { fixture, lists } = stage()
      fixture.down = new Set([`${use} aud`])
      const before = await lists.list(['AUD'])
      expect(before.missing).toEqual([{ currency: 'AUD', use }])
      fixture.hanging = new Set(['LINK', 'DIRECT'])
      fixture.now = 6 * MINUTE
      expect(lists.list(['AUD'])).toMatchObject({ methods: before.methods, missing: before.missing, expired: true })
      expect((await lists.find(code))?.code).toBe(code)
    },
  )

  it('are stale when either list is, and as old as the older one', async () => {
    const { fixture, direct, lists } = stage()
    await lists.list(['AUD'])
    const fetchedAt = direct.freshness('aud')?.fetchedAt
    fixture.down.add('DIRECT aud')
    fixture.now = 6 * MINUTE
    const version = lists.version()
    await lists.list(['AUD'])
    await expect.poll(async () => (await lists.list(['AUD'])).stale).toBe(true)
    const list = await lists.list(['AUD'])
    expect(list).toMatchObject({ stale: true, expired: true, unavailable: [], missing: [], fetchedAt })
    expect(list.methods).toHaveLength(3)
    // The other list is renewed beside this one.
    await expect.poll(() => lists.version()).toBeGreaterThan(version)
  })

  it('are found by code, and in doubt while either list is away', async () => {
    const { fixture, lists } = stage()
    fixture.down.add('DIRECT aud')
    let doubts = 0
    const find = (code: string) => lists.find(code, () => (doubts += 1))
    expect((await find('jp_card_jpy'))?.usableFor).toEqual(['LINK', 'DIRECT'])
    expect(doubts).toBe(0)
    expect((await find('au_card_aud'))?.usableFor).toEqual(['LINK'])
    expect(await find('opaque')).toBeNull()
    expect(doubts).toBe(2)
  })
})
