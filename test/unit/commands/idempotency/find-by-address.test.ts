import { describe, expect, it } from 'vitest'
import { type AddressSearch, type AddressSearches, findByAddress } from '../../../../src/commands/idempotency/task.ts'
import { IncompleteSearchError } from '../../../../src/upstream/endpoints/agreement-endpoints.ts'

const SENT_AT = Date.parse('2030-01-02T03:04:05.678Z')
const MINUTE = 60_000
const ADDRESS = 'https://shop.example/webhooks/payments/ref'

type Made = { readonly at: number; readonly endpointUrl: string | null }

/** Creates a list with 20 entries on a page, newest first; `tells` decides whether it returns the number of its pages. */
function listOf(made: readonly Made[], tells = true) {
  const asked: AddressSearch[] = []
  const list = async (search: AddressSearch) => {
    asked.push(search)
    const entries = made
      .filter(({ at }) => at >= search.from.getTime() && at < search.to.getTime())
      .toSorted((a, b) => b.at - a.at)
    const totalPages = tells ? Math.ceil(entries.length / 20) : null
    return { entries: entries.slice((search.page - 1) * 20, search.page * 20), totalPages }
  }
  return { asked, list }
}

/** Creates `count` other entries, evenly spread over the ten minutes before and after. */
const others = (count: number): Made[] =>
  Array.from({ length: count }, (_, n) => ({
    at: SENT_AT - 10 * MINUTE + (n * 20 * MINUTE) / count,
    endpointUrl: `https://shop.example/webhooks/payments/other-${n}`,
  }))

const attempt = (searches: AddressSearches = new Map(), now = SENT_AT + 40_000) => ({
  address: ADDRESS,
  sentAt: SENT_AT,
  now,
  searches,
})

describe('what an attempt has made', () => {
  it.each([true, false])(
    'is found among 463 others, wherever it stands (the list tells its pages: %s)',
    async (tells) => {
      for (const offset of [-9 * MINUTE, -30_000, 0, 800, 30_000, 9 * MINUTE]) {
        const ours = { at: SENT_AT + offset, endpointUrl: ADDRESS }
        const { list } = listOf([...others(463), ours], tells)
        expect(await findByAddress(attempt(), list)).toEqual(ours)
      }
    },
  )

  it('is found on few pages, where clocks agree, however busy the account is', async () => {
    const { list, asked } = listOf([...others(1_500), { at: SENT_AT + 800, endpointUrl: ADDRESS }])
    await findByAddress(attempt(), list)
    expect(asked.length).toBeLessThanOrEqual(12)
  })

  it('is absent only when every page was looked at', async () => {
    const { list, asked } = listOf(others(463))
    expect(await findByAddress(attempt(), list)).toBeNull()
    expect(asked.length).toBeGreaterThanOrEqual(Math.ceil(463 / 20))
  })

  it('is neither there nor absent when the search was cut short, and the next one goes on', async () => {
    const ours = { at: SENT_AT - 9.9 * MINUTE, endpointUrl: ADDRESS }
    const { list, asked } = listOf([...others(4_600), ours])
    const searches: AddressSearches = new Map()
    const later = SENT_AT + 5 * MINUTE
    await expect(findByAddress(attempt(searches, later), list)).rejects.toThrow(IncompleteSearchError)
    expect(asked).toHaveLength(100)
    await expect(findByAddress(attempt(searches, later), list)).rejects.toThrow(IncompleteSearchError)
    expect(await findByAddress(attempt(searches, later), list)).toEqual(ours)
    expect(asked.length).toBeLessThanOrEqual(235)
    expect(searches.size).toBe(0)
  })

  it('is looked for from the start while the call may still have an effect', async () => {
    const searches: AddressSearches = new Map()
    const { list } = listOf(others(4_600))
    await expect(findByAddress(attempt(searches), list)).rejects.toThrow(IncompleteSearchError)
    expect(searches.size).toBe(0)
  })

  it('is absent from a list that gives the same page for ever', async () => {
    const page = others(20)
    let asked = 0
    const list = async () => {
      asked += 1
      return { entries: page, totalPages: null }
    }
    expect(await findByAddress(attempt(), list)).toBeNull()
    expect(asked).toBeLessThanOrEqual(6)
  })
})

describe('entries without a webhook URL', () => {
  it('are read by themselves, 20 at most', async () => {
    const { list } = listOf(
      Array.from({ length: 21 }, (_, n): Made => ({ at: SENT_AT - n * 1_000, endpointUrl: null })),
    )
    let reads = 0
    const found = await findByAddress(attempt(), list, {
      candidates: async (entries) => entries,
      read: async (entry) => {
        reads += 1
        return { ...entry, endpointUrl: 'https://shop.example/webhooks/payments/other' }
      },
    })
    expect(found).toBeNull()
    expect(reads).toBe(20)
  })
})
