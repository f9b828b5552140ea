import { expect, it } from 'vitest'
import { createAdmissionQueue, type Entry } from '../../../../src/http/overload/overload.ts'

const ANONYMOUS = 'anonymous'
const KNOWN = 'known'

type Options = { readonly maxInFlight?: number; readonly sheds?: boolean }
type Asked = Partial<Entry> & { readonly group?: Entry['client']['group']; readonly bytes?: number }

/** Creates a queue whose clock the test advances. No request begins before the test begins it, or calls `openUp`. */
function setUp({ maxInFlight = 1_000, sheds = true }: Options = {}) {
  let now = 0
  let open = false
  const begun: string[] = []
  const refused: string[] = []
  const releases: (() => void)[] = []
  const queue = createAdmissionQueue({
    clock: { now: () => now, tick: () => {} },
    scheduler: () => ({ mayBeginNow: () => open, wake: () => {} }),
    maxInFlight,
    onRefused: (answer) => answer(),
    sheds,
  })
  const enter = (client: string, { group = ANONYMOUS, bytes = 0, ...more }: Asked = {}) =>
    queue.enter({
      client: { name: client, group },
      bytes,
      start(release) {
        begun.push(client)
        releases.push(release)
      },
      refuse: () => refused.push(client),
      ...more,
    })
  return {
    queue,
    begun,
    refused,
    releases,
    enter,
    many: (count: number, client: (index: number) => string, more?: Asked) => {
      for (let index = 0; index < count; index += 1) enter(client(index), more)
    },
    begin: (count: number) => {
      for (let index = 0; index < count; index += 1) queue.beginNext()
    },
    pass: (milliseconds: number) => {
      now += milliseconds
      queue.observe()
    },
    openUp: () => {
      open = true
    },
  }
}

type Stage = ReturnType<typeof setUp>

/** Enters three times as many requests as begin, for two seconds. After that, the queue is overloaded. */
function overload(stage: Stage, client: (index: number) => string): void {
  for (let step = 0; step < 20; step += 1) {
    stage.many(300, client)
    stage.begin(100)
    stage.pass(100)
  }
}

it('begins at once what comes while nothing waits', () => {
  const { openUp, enter, begun, queue } = setUp()
  openUp()
  enter('a')
  expect([begun, queue.size]).toEqual([['a'], 0])
})

it('gives half of the slots to one client, and each that is released to who waits', () => {
  const { many, enter, begin, begun, releases, queue } = setUp({ maxInFlight: 4 })
  many(5, () => 'a')
  many(2, () => 'b')
  begin(10)
  expect(begun.toSorted()).toEqual(['a', 'a', 'b', 'b'])
  expect(queue.hasNext()).toBe(false)
  releases[begun.indexOf('b')]?.()
  releases[begun.indexOf('b')]?.()
  // The client has reached its limit, although a slot is free.
  expect(queue.hasNext()).toBe(false)
  enter('c')
  expect(queue.hasNext()).toBe(true)
})

it('takes out what is no longer waited for', () => {
  const { enter, begin, begun, queue } = setUp()
  const leave = enter('a')
  enter('b')
  leave?.()
  expect(queue.size).toBe(1)
  begin(2)
  expect(begun).toEqual(['b'])
  leave?.()
})

it('refuses nobody of a burst that takes long', () => {
  const { many, begin, pass, refused, begun } = setUp({ maxInFlight: Infinity })
  many(3_000, (index) => `client ${index}`)
  for (let step = 0; step < 100; step += 1) {
    begin(30)
    pass(90)
  }
  expect([refused.length, begun.length]).toEqual([0, 3_000])
})

it('refuses the one client that asks too much, and none of the others', () => {
  const stage = setUp({ maxInFlight: Infinity })
  overload(stage, () => 'greedy')
  stage.many(100, (index) => `client ${index}`)
  expect(stage.refused.length).toBeGreaterThan(50)
  expect(new Set(stage.refused)).toEqual(new Set(['greedy']))
  expect(stage.queue.isOverloaded()).toBe(false)
})

it('refuses those without a token before those with one', () => {
  const stage = setUp({ maxInFlight: Infinity })
  overload(stage, (index) => `guest ${index}`)
  const before = stage.refused.length
  stage.many(20, (index) => `known ${index}`, { group: KNOWN })
  const refused = stage.refused.slice(before)
  expect(refused).toHaveLength(20)
  expect(refused.filter((client) => client.startsWith('known'))).toEqual([])
})

it('begins and refuses nothing less of a client with a token because of a crowd of guests', () => {
  const stage = setUp({ maxInFlight: Infinity })
  const asked = 25
  let guests = 0
  for (let step = 0; step < 60; step += 1) {
    for (let index = 0; index < 300; index += 1) {
      const isShop = index % (300 / asked) === 0
      stage.enter(isShop ? 'shop' : `guest ${(guests += 1)}`, { group: isShop ? KNOWN : ANONYMOUS })
    }
    stage.begin(100)
    stage.pass(100)
  }
  expect(stage.refused.length).toBeGreaterThan(5_000)
  expect(stage.refused).not.toContain('shop')
  expect(stage.begun.filter((client) => client === 'shop').length).toBe(60 * asked)
})

it('refuses a client with a token that asks more than all guests together', () => {
  const stage = setUp({ maxInFlight: Infinity })
  overload(stage, (index) => `guest ${index}`)
  stage.begin(stage.queue.size - 20)
  const others = Array.from({ length: 6 }, (_, index) => `greedy ${index}`)
  for (let step = 0; step < 20; step += 1) {
    stage.many(300, (index) => others[index % others.length] ?? '', { group: KNOWN })
    stage.begin(100)
    stage.pass(100)
  }
  expect(others).toContain(stage.refused.at(-1))
})

it('refuses before it enters what it would refuse afterwards, and nothing else', () => {
  const stage = setUp({ maxInFlight: Infinity })
  expect(stage.queue.refuses({ name: 'first', group: ANONYMOUS })).toBe(false)
  let guests = 0
  const guest = () => `guest ${(guests += 1)}`
  overload(stage, guest)
  stage.many(300, guest)
  const { size } = stage.queue
  expect(stage.queue.refuses({ name: 'stranger', group: ANONYMOUS })).toBe(true)
  expect(stage.queue.refuses({ name: 'known', group: KNOWN })).toBe(false)
  stage.enter('guest again')
  stage.enter('guest again')
  expect(stage.queue.refuses({ name: 'guest again', group: ANONYMOUS })).toBe(true)
  expect(stage.queue.size).toBe(size)
})

it('refuses the newcomers of nobody while one client has more than half', () => {
  const stage = setUp({ maxInFlight: Infinity })
  overload(stage, () => 'greedy')
  expect(stage.queue.refuses({ name: 'stranger', group: ANONYMOUS })).toBe(false)
  expect(stage.queue.refuses({ name: 'greedy', group: ANONYMOUS })).toBe(true)
  expect(stage.queue.isOverloaded()).toBe(false)
})

it('bounds what waits by number and by bytes, of the client that has most', () => {
  const stage = setUp({ sheds: false })
  stage.many(5_000, (index) => (index % 2 === 0 ? 'greedy' : `client ${index}`))
  expect([stage.queue.size, new Set(stage.refused)]).toEqual([4_096, new Set(['greedy'])])
  const heavy = setUp()
  heavy.enter('small', { bytes: 1_000 })
  heavy.many(400, () => 'large', { bytes: 100_000 })
  expect(new Set(heavy.refused)).toEqual(new Set(['large']))
  expect(heavy.queue.size).toBeLessThan(400)
})

it('refuses after ten seconds what never began', () => {
  const { enter, pass, refused } = setUp()
  enter('a')
  for (let second = 0; second < 11; second += 1) pass(1_000)
  expect(refused).toEqual(['a'])
})

it('answers a command that is on record, and refuses one that is not', async () => {
  const stage = setUp({ maxInFlight: Infinity })
  overload(stage, () => 'shop')
  const before = stage.refused.length
  stage.enter('shop', { mustAnswer: async () => true, refuse: () => expect.unreachable() })
  const refused = await new Promise((resolve) => {
    stage.enter('shop', { mustAnswer: async () => false, refuse: () => resolve('refused') })
  })
  expect(refused).toBe('refused')
  expect(stage.refused.length).toBe(before)
  const begunBefore = stage.begun.length
  stage.begin(stage.queue.size)
  expect(stage.begun.length).toBeGreaterThan(begunBefore)
  expect(stage.queue.size).toBe(0)
})
