import { describe, expect, it } from 'vitest'
import {
  afterCheck,
  afterPage,
  afterPart,
  firstPlace,
  type ImportPlace,
  type ImportPlan,
  type ListPlace,
  partAt,
  progressOf,
  spanAt,
} from '../../../../src/domain/imports/import-plan.ts'

const DAY = 24 * 3_600_000
const FROM = Date.parse('2026-01-01T00:00:00Z')

function planOf(days: number, parts: ImportPlan['parts'] = [{ site: 'au', list: 'LINKS' }]): ImportPlan {
  return { from: FROM, to: FROM + days * DAY, parts }
}

function listPlace(place: ImportPlace): ListPlace {
  if (place.kind !== 'LIST') throw new Error('It is at no list.')
  return place
}

/** Goes through a plan whose lists have `pages` pages in each interval. Returns every place. */
function walk(plan: ImportPlan, pages: number): ImportPlace[] {
  const places: ImportPlace[] = []
  for (let place = firstPlace(plan); ;) {
    places.push(place)
    if (place.kind === 'CLEAR') return places
    place =
      place.kind === 'LIST'
        ? afterPage(plan, place, { ids: `page ${place.page}`, isEmpty: false, totalPages: pages })
        : afterCheck(plan, place, null)
  }
}

describe('an import plan', () => {
  it('covers its interval without a hole, in intervals of thirty days at most', () => {
    const plan = planOf(70)
    const spans = walk(plan, 1).flatMap((place) => (place.kind === 'LIST' ? [spanAt(plan, place)] : []))
    expect(spans[0]?.from).toEqual(new Date(plan.from))
    expect(spans.at(-1)?.to).toEqual(new Date(plan.to))
    expect(spans.slice(1).map(({ from }) => from)).toEqual(spans.slice(0, -1).map(({ to }) => to))
    for (const { from, to } of spans) expect(to.getTime() - from.getTime()).toBeLessThanOrEqual(30 * DAY)
  })

  it('reads every page of every part once, checks it, and ends', () => {
    const parts = [
      { site: 'au', list: 'LINKS' },
      { site: 'kr', list: 'PAYINS' },
    ] as const
    const plan = planOf(31, parts)
    const told = walk(plan, 2).map((place) => {
      const part = partAt(plan, place)
      return `${part?.site ?? '-'} ${place.kind}${place.kind === 'LIST' ? ` ${place.slice}.${place.page}` : ''}`
    })
    expect(told).toEqual([
      'au LIST 0.1',
      'au LIST 0.2',
      'au LIST 1.1',
      'au LIST 1.2',
      'au CHECK',
      'kr LIST 0.1',
      'kr LIST 0.2',
      'kr LIST 1.1',
      'kr LIST 1.2',
      'kr CHECK',
      '- CLEAR',
    ])
  })

  it('never goes back in percent, from 0 to 100', () => {
    const plan = planOf(100, [
      { site: 'au', list: 'LINKS' },
      { site: 'au', list: 'PAYOUTS' },
    ])
    const percents = walk(plan, 7).map((place) => progressOf(plan, place))
    expect(percents[0]).toBe(0)
    expect(percents.at(-1)).toBe(100)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
  })

  it.each([null, 999_999_999])(
    'ends a list of %s pages at an empty page, and at one that repeats the page before',
    (totalPages) => {
      const plan = planOf(1)
      const first = listPlace(firstPlace(plan))
      const page = { ids: 'a b', isEmpty: false, totalPages }
      const second = listPlace(afterPage(plan, first, page))
      expect(second).toMatchObject({ page: 2, before: 'a b' })
      expect(afterPage(plan, second, page)).toMatchObject({ kind: 'CHECK' })
      expect(afterPage(plan, second, { ...page, ids: '', isEmpty: true })).toMatchObject({ kind: 'CHECK' })
      expect(afterPage(plan, second, { ...page, ids: 'c' })).toMatchObject({ kind: 'LIST', page: 3 })
    },
  )

  it('goes on with the next part after one that is given up, and after the last object of ours', () => {
    const plan = planOf(1, [
      { site: 'au', list: 'LINKS' },
      { site: 'au', list: 'PAYINS' },
    ])
    expect(afterPart(plan, firstPlace(plan))).toMatchObject({ kind: 'LIST', part: 1 })
    expect(afterPart(plan, { kind: 'CHECK', part: 1, after: null })).toEqual({ kind: 'CLEAR' })
    expect(afterPart(plan, { kind: 'CLEAR' })).toEqual({ kind: 'CLEAR' })
    const check = { kind: 'CHECK', part: 0, after: null } as const
    expect(afterCheck(plan, check, { at: 1, id: 'x' })).toEqual({ kind: 'CHECK', part: 0, after: { at: 1, id: 'x' } })
    expect(firstPlace({ ...plan, parts: [] })).toEqual({ kind: 'CLEAR' })
  })
})
