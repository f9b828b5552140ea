import { expect, it } from 'vitest'
import {
  createClientQueue,
  type Entry,
  MAX_WAITING,
  MAX_WAITING_BYTES,
} from '../../../../src/http/protection/client-queue.ts'

type Asked = Partial<Pick<Entry, 'bytes' | 'isPatient'>> & { readonly hasToken?: boolean }

/** Creates a queue. No request begins before the test begins it, unless it `admits`. */
function setUp({ maxInFlight = Infinity, admits = false } = {}) {
  let next = () => {}
  const begun: string[] = []
  const refused: string[] = []
  const ends: (() => void)[] = []
  let turnedAway = 0
  const queue = createClientQueue({
    maxInFlight,
    scheduler: { admits: () => admits, push: (piece) => (next = () => piece.run()) },
    onRefused: () => (turnedAway += 1),
  })
  const enter = (name: string, { hasToken = false, bytes = 0, isPatient = false }: Asked = {}) =>
    queue.enter({
      client: { name, hasToken },
      bytes,
      isPatient,
      start(end) {
        begun.push(name)
        ends.push(end)
      },
      refuse: () => refused.push(name),
    })
  return {
    queue,
    begun,
    refused,
    ends,
    turnedAway: () => turnedAway,
    enter,
    many: (count: number, client: (index: number) => string, asked?: Asked) => {
      for (let index = 0; index < count; index += 1) enter(client(index), asked)
    },
    begin: (count: number) => {
      for (let index = 0; index < count; index += 1) next()
    },
    tick: (times = 1) => {
      for (let index = 0; index < times; index += 1) queue.tick()
    },
  }
}

/** Enters three times as many requests as begin, for two seconds. After that, the queue is overloaded. */
function overload({ many, begin, tick }: ReturnType<typeof setUp>, client: (index: number) => string, asked?: Asked) {
  for (let step = 0; step < 20; step += 1) {
    many(300, client, asked)
    begin(100)
    tick()
  }
}

it('begins at once what comes while nothing waits', () => {
  const { enter, begun } = setUp({ admits: true })
  enter('a')
  expect(begun).toEqual(['a'])
})

it('serves clients in turn, each in order of arrival, and those with a token as often as all others', () => {
  const { enter, begin, begun } = setUp()
  for (const name of ['a', 'a', 'a', 'b', 'c']) enter(name)
  for (const name of ['X', 'X', 'Y', 'X']) enter(name, { hasToken: true })
  begin(9)
  expect(begun.join('')).toBe('XaYbXcXaa')
})

it('gives half of the places to one client, and each that is given back to who waits', () => {
  const { many, enter, begin, begun, ends } = setUp({ maxInFlight: 4 })
  many(5, () => 'a')
  many(2, () => 'b')
  begin(10)
  expect(begun.toSorted()).toEqual(['a', 'a', 'b', 'b'])
  ends[begun.indexOf('b')]?.()
  ends[begun.indexOf('b')]?.()
  begin(1)
  // The client has half of the places already, although one is free.
  expect(begun).toHaveLength(4)
  enter('c')
  enter('c')
  begin(2)
  expect(begun.slice(4)).toEqual(['c'])
})

it('refuses nobody of a burst that takes long', () => {
  const { many, begin, tick, refused, begun } = setUp()
  many(3_000, (index) => `client ${index}`)
  for (let step = 0; step < 100; step += 1) {
    begin(30)
    tick()
  }
  expect([refused.length, begun.length]).toEqual([0, 3_000])
})

// promise(process): One client that sends too much causes no refusal of another.
it('refuses the one client that asks too much, and none of the others', () => {
  const stage = setUp()
  overload(stage, () => 'greedy')
  stage.many(100, (index) => `client ${index}`)
  expect(stage.refused.length).toBeGreaterThan(50)
  expect(stage.turnedAway()).toBe(stage.refused.length)
  expect(new Set(stage.refused)).toEqual(new Set(['greedy']))
  expect(stage.queue.isOverloaded()).toBe(false)
})

it('refuses what comes last when all clients ask equally much', () => {
  const stage = setUp()
  let guests = 0
  overload(stage, () => `guest ${(guests += 1)}`)
  stage.enter('last')
  expect(stage.refused.at(-1)).toBe('last')
})

it('is overloaded while refusals of many clients go on, and no longer', () => {
  const stage = setUp()
  let guests = 0
  for (let round = 0; round < 4; round += 1) overload(stage, () => `guest ${(guests += 1)}`)
  expect(stage.queue.isOverloaded()).toBe(true)
  stage.begin(10_000)
  stage.tick(30)
  expect(stage.queue.isOverloaded()).toBe(false)
})

it('begins and refuses nothing less of a client with a token because of a crowd of others', () => {
  const stage = setUp()
  const asked = 25
  let guests = 0
  for (let step = 0; step < 60; step += 1) {
    for (let index = 0; index < 300; index += 1) {
      const hasToken = index % (300 / asked) === 0
      stage.enter(hasToken ? 'shop' : `guest ${(guests += 1)}`, { hasToken })
    }
    stage.begin(100)
    stage.tick()
  }
  expect(stage.refused.length).toBeGreaterThan(5_000)
  expect(stage.refused).not.toContain('shop')
  expect(stage.begun.filter((client) => client === 'shop').length).toBe(60 * asked)
})

it('refuses nobody without a token because one with a token asks too much', () => {
  const stage = setUp()
  let guests = 0
  for (let step = 0; step < 60; step += 1) {
    stage.many(30, () => `guest ${(guests += 1)}`)
    stage.many(270, () => 'greedy', { hasToken: true })
    stage.begin(100)
    stage.tick()
  }
  expect(new Set(stage.refused)).toEqual(new Set(['greedy']))
  expect(stage.begun.filter((client) => client !== 'greedy')).toHaveLength(guests)
})

it('refuses because of delay none that is patient, and counts none of those', () => {
  const stage = setUp()
  for (let step = 0; step < 20; step += 1) {
    stage.many(150, () => 'sockets', { isPatient: true })
    stage.many(5, (index) => `other ${index}`)
    stage.begin(50)
    stage.tick()
  }
  expect(stage.refused).toEqual([])
})

it('bounds what waits by number and by bytes, of the client that has most', () => {
  const { many, begin, refused, begun } = setUp()
  many(5_000, (index) => (index % 2 === 0 ? 'greedy' : `client ${index}`), { isPatient: true })
  expect(new Set(refused)).toEqual(new Set(['greedy']))
  begin(5_000)
  expect(begun).toHaveLength(MAX_WAITING)

  const heavy = setUp()
  const bytes = 100_000
  heavy.enter('small', { bytes: 1_000 })
  heavy.many(400, () => 'large', { bytes })
  expect(new Set(heavy.refused)).toEqual(new Set(['large']))
  heavy.begin(400)
  expect(heavy.begun).toHaveLength(1 + Math.floor((MAX_WAITING_BYTES - 1_000) / bytes))
})

it('refuses after ten seconds what never began', () => {
  const { enter, tick, refused } = setUp()
  enter('a')
  enter('b', { isPatient: true })
  tick(100)
  expect(refused).toEqual([])
  tick()
  expect(refused).toEqual(['a', 'b'])
})
