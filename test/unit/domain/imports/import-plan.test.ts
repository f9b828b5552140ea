import { describe, expect, it } from 'vitest'
import {
  afterCheck,
  afterPage,
  firstPlaces,
  type ImportPlace,
  type ImportPlan,
  type ListPlace,
  partAt,
  progressOf,
  spanAt,
} from '../../../../src/domain/imports/import-plan.ts'
import { present } from '../../../store/contract/builders.ts'

const DAY = 24 * 3_600_000
const FROM = Date.parse('2026-01-01T00:00:00Z')

function planOf(days: number, parts: ImportPlan['parts'] = [{ site: 'au', list: 'LINKS' }]): ImportPlan {
  return { from: FROM, to: FROM + days * DAY, parts }
}

function listPlace(place: ImportPlace | undefined): ListPlace {
  if (place?.kind !== 'LIST') throw new Error('It is at no list.')
  return place
}

/** Goes through a part of a plan whose lists have `pages` pages in each interval. Returns every place. */
function walk(plan: ImportPlan, pages: number, part = 0): ImportPlace[] {
  const places: ImportPlace[] = []
  for (let place = firstPlaces(plan)[part]; place !== undefined;) {
    places.push(place)
    if (place.kind === 'DONE') break
    place =
      place.kind === 'LIST'
        ? afterPage(plan, place, { ids: `page ${place.page}`, isEmpty: false, totalPages: pages })
        : afterCheck(place, null)
  }
  return places
}

describe('an import plan', () => {
  it.each([
    [70, 30],
    [2.5, 1],
  ])(
    'of %s days covers its interval without a hole, oldest first, in intervals of %s days at most',
    (days, longest) => {
      const plan = planOf(days)
      const spans = walk(plan, 1).flatMap((place) => (place.kind === 'LIST' ? [spanAt(plan, place)] : []))
      expect(spans[0]?.from).toEqual(new Date(plan.from))
      expect(spans.at(-1)?.to).toEqual(new Date(plan.to))
      expect(spans).toHaveLength(3)
      expect(spans.slice(1).map(({ from }) => from)).toEqual(spans.slice(0, -1).map(({ to }) => to))
      for (const { from, to } of spans) expect(to.getTime() - from.getTime()).toBeLessThanOrEqual(longest * DAY)
    },
  )

  it('reads every page of each part once, checks it, and ends', () => {
    const parts = [
      { site: 'au', list: 'LINKS' },
      { site: 'kr', list: 'PAYINS' },
    ] as const
    const plan = planOf(2, parts)
    for (const [part, { site }] of parts.entries()) {
      const told = walk(plan, 2, part).map((place) => {
        expect(partAt(plan, place).site).toBe(site)
        return place.kind === 'LIST' ? `LIST ${place.slice}.${place.page}` : place.kind
      })
      expect(told).toEqual(['LIST 0.1', 'LIST 0.2', 'LIST 1.1', 'LIST 1.2', 'CHECK', 'DONE'])
    }
  })

  it('never goes back in percent, from 0 to 100', () => {
    const plan = planOf(100, [
      { site: 'au', list: 'LINKS' },
      { site: 'au', list: 'PAYOUTS' },
    ])
    const [first, second] = [walk(plan, 7, 0), walk(plan, 2, 1)]
    const [atFirst, atSecond] = firstPlaces(plan)
    const percents = [
      ...first.map((place) => progressOf({ plan, places: [place, present(atSecond)] })),
      ...second.map((place) => progressOf({ plan, places: [present(first.at(-1)), place] })),
    ]
    expect(percents[0]).toBe(0)
    expect(progressOf({ plan, places: [present(atFirst), { kind: 'DONE', part: 1 }] })).toBe(50)
    expect(percents.at(-1)).toBe(100)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
  })

  it.each([null, 999_999_999])(
    'ends a list of %s pages at an empty page, and at one that repeats the page before',
    (totalPages) => {
      const plan = planOf(1)
      const first = listPlace(firstPlaces(plan)[0])
      const page = { ids: 'a b', isEmpty: false, totalPages }
      const second = listPlace(afterPage(plan, first, page))
      expect(second).toMatchObject({ page: 2, before: 'a b' })
      expect(afterPage(plan, second, page)).toMatchObject({ kind: 'CHECK' })
      expect(afterPage(plan, second, { ...page, ids: '', isEmpty: true })).toMatchObject({ kind: 'CHECK' })
      expect(afterPage(plan, second, { ...page, ids: 'c' })).toMatchObject({ kind: 'LIST', page: 3 })
    },
  )

  it('goes on behind the last object of ours that was looked for', () => {
    const check = { kind: 'CHECK', part: 0, after: null } as const
    expect(afterCheck(check, { at: 1, id: 'x' })).toEqual({ kind: 'CHECK', part: 0, after: { at: 1, id: 'x' } })
  })
})
