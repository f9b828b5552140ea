import { describe, expect, it } from 'vitest'
import {
  createReadOrder,
  FULL_PACE,
  type ReadPace,
  type SlotRequest,
  slower,
  takeSlot,
  type Urgency,
} from '../../../../src/domain/reads/read-pace.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const START = Date.parse('2030-01-02T03:04:05.678Z')

/** Creates a site that is read at two reads a second. Its methods return the instants of slots after `START`. */
function site() {
  let pace: ReadPace = FULL_PACE
  return {
    take(request: Partial<SlotRequest> = {}): number | null {
      const taken = takeSlot(pace, {
        now: START,
        perSecond: 2,
        answers: 0,
        answeredAt: 0,
        isPersonal: false,
        ...request,
      })
      pace = taken.pace
      return taken.slot.at === null ? null : taken.slot.at - START
    },
    throttle(sentAt: number, now: number, retryAfterMs: number | null = null) {
      pace = slower(pace, { sentAt: START + sentAt, now: START + now, retryAfterMs })
    },
  }
}

describe('the pace of a site', () => {
  it('is two reads a second', () => {
    const { take } = site()
    expect([take(), take(), take(), take({ now: START + 9 * SECOND })]).toEqual([0, 500, 1_000, 9_000])
  })

  it('is halved by a refusal, once for reads that were under way together, down to an eighth a second', () => {
    const { take, throttle } = site()
    expect([take(), take()]).toEqual([0, 500])
    throttle(0, 600)
    throttle(500, 700)
    expect(take()).toBe(1_500)
    for (const at of [2_000, 3_000, 4_000, 5_000, 6_000]) throttle(at, at)
    expect(take()).toBe(1_500 + 8_000)
  })

  it('rises with each answer, to the full rate after forty', () => {
    const { take, throttle } = site()
    throttle(1, 1)
    const answered = { answeredAt: START }
    expect([take({ answers: 4, ...answered }), take(answered)]).toEqual([0, 833])
    expect(take({ answers: 100, ...answered })).toBe(833 + 500)
  })

  it('is nothing during the pause that the payments API asks for, but for a person, until it answers', () => {
    const { take, throttle } = site()
    throttle(1, 1, 30 * SECOND)
    const [now, isPersonal] = [START + 30 * SECOND, true]
    expect([take({ now }), take({ now, isPersonal })]).toEqual([null, 30 * SECOND])
    expect(take({ now: now + SECOND })).toBe(31 * SECOND)
    throttle(31 * SECOND, 31 * SECOND, 30 * SECOND)
    // An answer to a read that was sent before says nothing.
    expect(take({ now: now + SECOND, answers: 1, answeredAt: now })).toBeNull()
    expect(take({ now: now + 2 * SECOND, answers: 1, answeredAt: now + 1_500 })).not.toBeNull()
  })

  it('pauses for five minutes at most, and not for instants of a clock that has been set back', () => {
    const { take, throttle } = site()
    throttle(1, 1, 24 * 60 * MINUTE)
    expect(take({ now: START + 5 * MINUTE })).toBeNull()
    expect(take({ now: START + 5 * MINUTE + 1 })).not.toBeNull()
    const wrong = site()
    wrong.take({ now: START + 60 * MINUTE })
    wrong.throttle(60 * MINUTE, 60 * MINUTE, SECOND)
    expect(wrong.take()).toBe(0)
    wrong.throttle(1, 1)
    expect(wrong.take()).toBe(2_000)
  })
})

describe('the order of reads', () => {
  /** Grants a number of reads while reads of these urgencies always wait. */
  const grants = (count: number, waiting: readonly Urgency[]) => {
    const order = createReadOrder()
    const waits = (urgency: Urgency) => waiting.includes(urgency)
    return Array.from({ length: count }, () => {
      const next = order.next(waits)
      if (next !== null) order.granted(next, waits)
      return next
    })
  }

  it('has persons first, then what is planned, then comparisons', () => {
    expect(grants(1, ['comparison', 'planned', 'person'])).toEqual(['person'])
    expect(grants(1, ['comparison', 'planned'])).toEqual(['planned'])
    expect(grants(2, ['comparison'])).toEqual(['comparison', 'comparison'])
    expect(grants(1, [])).toEqual([null])
  })

  it('lets nobody wait for ever', () => {
    expect(grants(6, ['comparison', 'planned'])).toEqual([
      'planned',
      'planned',
      'comparison',
      'planned',
      'planned',
      'comparison',
    ])
    const all = grants(400, ['comparison', 'planned', 'person'])
    for (const urgency of ['comparison', 'planned'] as const)
      expect(all.filter((one) => one === urgency).length).toBeGreaterThanOrEqual(90)
    expect(all.filter((one) => one === 'person').length).toBeGreaterThanOrEqual(130)
  })
})
