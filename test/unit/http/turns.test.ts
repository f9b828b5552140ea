import { createServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTurns } from '../../../src/http/turns.ts'

/** Turns of a server's loop, and the names of what has begun. */
function setUp() {
  const server = createServer()
  const turns = createTurns(server)
  const begun: string[] = []
  const begin = (...names: readonly string[]) => names.forEach((name) => turns.requests.begin(() => begun.push(name)))
  const operate = (...names: readonly string[]) =>
    names.forEach((name) => turns.operations.begin(() => begun.push(name)))
  const turnAway = (...names: readonly string[]) => names.forEach((name) => turns.turnAway(() => begun.push(name)))
  return {
    connect: () => server.emit('connection'),
    waitedMs: turns.requests.waitedMs,
    begun,
    begin,
    operate,
    turnAway,
  }
}

it('begins at once when nothing is ahead', async () => {
  const { begun, begin } = setUp()
  begin('first')
  expect(begun).toEqual(['first'])
  await turn()
  begin('second')
  expect(begun).toEqual(['first', 'second'])
})

it('begins one in each turn, in the order in which they came', async () => {
  const { begun, begin } = setUp()
  begin('first', 'second', 'third')
  expect(begun).toEqual(['first'])
  await turn()
  expect(begun).toEqual(['first', 'second'])
  begin('fourth')
  await turn()
  expect(begun).toEqual(['first', 'second', 'third'])
  await turn()
  expect(begun).toEqual(['first', 'second', 'third', 'fourth'])
})

it('lets requests and operations of sockets go side by side', async () => {
  const { begun, begin, operate } = setUp()
  operate('a', 'b', 'c')
  begin('first', 'second')
  expect(begun).toEqual(['a', 'first'])
  await turn()
  expect(begun).toEqual(['a', 'first', 'second', 'b'])
  await turn()
  expect(begun).toEqual(['a', 'first', 'second', 'b', 'c'])
})

it('lets connections in first, yet not for ever', async () => {
  const { begun, begin, connect } = setUp()
  const passes: number[] = []
  begin('first', 'second', 'third')
  for (let passed = 0; begun.length < 3 && passed < 100; passed += 1) {
    const before = begun.length
    connect()
    await turn()
    if (begun.length > before) passes.push(passed)
  }
  expect(passes).toEqual([8, 17])
})

it('goes on as soon as no connection has come', async () => {
  const { begun, begin, connect } = setUp()
  connect()
  begin('first', 'second')
  expect(begun).toEqual([])
  await turn()
  expect(begun).toEqual([])
  await turn()
  expect(begun).toEqual(['first'])
})

it('tells how long the first has waited', async () => {
  const { begun, begin, connect, waitedMs } = setUp()
  expect(waitedMs()).toBe(0)
  connect()
  begin('first')
  const until = performance.now() + 30
  while (performance.now() < until);
  expect(waitedMs()).toBeGreaterThanOrEqual(30)
  await turn()
  await turn()
  expect([begun, waitedMs()]).toEqual([['first'], 0])
})

it('turns four away in each turn, connections or not', async () => {
  const { begun, turnAway, connect } = setUp()
  turnAway('1', '2', '3', '4', '5', '6')
  expect(begun).toHaveLength(4)
  connect()
  await turn()
  expect(begun).toEqual(['1', '2', '3', '4', '5', '6'])
})
