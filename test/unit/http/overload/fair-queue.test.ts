import { array, assert, constantFrom, oneof, property, constant, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { createFairQueue, type Flow } from '../../../../src/http/overload/fair-queue.ts'
import { newSeed } from '../../../faults/random.ts'

const ANY = () => true
type Group = 'small' | 'large'
/** A flow of which the last item ends with 0 loses none. */
const create = () =>
  createFairQueue<string, Group>(['small', 'large'], (items) => items.at(-1)?.endsWith('0') === false)
const flowOf = (name: string): Flow<Group> => ({ name, group: name === name.toLowerCase() ? 'small' : 'large' })

function filled(...items: readonly string[]) {
  const queue = create()
  for (const item of items) queue.push(flowOf(item.charAt(0)), item)
  return queue
}

function drained(queue: ReturnType<typeof filled>, mayBegin: (flow: string) => boolean = ANY): string[] {
  const items: string[] = []
  for (let item = queue.next(mayBegin); item !== null; item = queue.next(mayBegin)) items.push(item)
  return items
}

it('serves flows in turn, and each in the order of arrival', () => {
  expect(drained(filled('a1', 'a2', 'a3', 'b1', 'c1', 'c2'))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
})

it('passes over a flow that may not begin', () => {
  const queue = filled('a1', 'a2', 'b1')
  expect(drained(queue, (flow) => flow !== 'a')).toEqual(['b1'])
  expect([queue.size, queue.hasNext((flow) => flow !== 'a'), queue.hasNext(ANY)]).toEqual([2, false, true])
})

it('knows the oldest of all flows, and forgets what was taken out', () => {
  const queue = filled('a1', 'b1', 'a2')
  expect(queue.oldest()).toBe('a1')
  expect([queue.remove(flowOf('a'), 'a1'), queue.remove(flowOf('a'), 'a1')]).toEqual([true, false])
  expect(queue.oldest()).toBe('b1')
  expect(drained(queue)).toEqual(['a2', 'b1'])
  expect([queue.size, queue.oldest(), queue.longest()]).toEqual([0, null, []])
})

it('serves groups in turn, whatever the number of their flows', () => {
  expect(drained(filled('a1', 'b1', 'c1', 'd1', 'X1', 'X2', 'Y1'))).toEqual(['a1', 'X1', 'b1', 'Y1', 'c1', 'X2', 'd1'])
  expect(drained(filled('a1', 'a2', 'X1'), (flow) => flow !== 'a')).toEqual(['X1'])
})

it('finds the longest flow, of all and of a group, and among equals the one that changed last', () => {
  const queue = filled('a1', 'a2', 'a3', 'X1', 'X2', 'c1', 'd1', 'd0')
  const longest = () => [queue.longest(), queue.longestOf('small'), queue.longestOf('large')]
  expect(longest()).toEqual([
    ['a1', 'a2', 'a3'],
    ['a1', 'a2', 'a3'],
    ['X1', 'X2'],
  ])
  expect([queue.countOf(flowOf('a')), queue.countOf(flowOf('nobody'))]).toEqual([3, 0])
  expect([queue.sizeOf('small'), queue.sizeOf('large')]).toEqual([6, 2])
  expect([...queue.flows()]).toEqual([['a1', 'a2', 'a3'], ['c1'], ['d1', 'd0'], ['X1', 'X2']])
  expect(filled('a1', 'b1', 'c1').longest()).toEqual(['c1'])
  for (const item of ['a2', 'a3', 'X1', 'X2']) expect(queue.remove(flowOf(item.charAt(0)), item)).toBe(true)
  expect(longest()).toEqual([['d1', 'd0'], ['a1'], []])
  expect([queue.sizeOf('small'), queue.sizeOf('large')]).toEqual([4, 0])
  queue.next((flow) => flow === 'c')
  expect(queue.sizeOf('small')).toBe(3)
  queue.push(flowOf('d'), 'd9')
  expect(queue.longestOf('small')).toEqual(['d1', 'd0', 'd9'])
})

const seed = newSeed()

it(`holds each item once, and no flow is passed twice while another waits (seed ${seed})`, () => {
  const step = oneof(
    tuple(constant('push'), constantFrom('a', 'b', 'c')),
    tuple(constantFrom('next', 'longest'), constant('')),
  )
  assert(
    property(array(step, { maxLength: 200 }), (steps) => {
      const queue = create()
      const waiting = new Map<string, string[]>()
      let passed = new Map<string, number>()
      const expectLongest = () =>
        expect(queue.longest().length).toBe(Math.max(0, ...[...waiting.values()].map((items) => items.length)))
      for (const [index, [kind, flow]] of steps.entries()) {
        if (kind === 'longest') {
          expectLongest()
          continue
        }
        if (kind === 'push') {
          queue.push(flowOf(flow), `${flow}${index}`)
          waiting.set(flow, [...(waiting.get(flow) ?? []), `${flow}${index}`])
          continue
        }
        const item = queue.next(ANY)
        const [served = ''] = item ?? ''
        expect(item).toBe(waiting.get(served)?.shift() ?? null)
        if (waiting.get(served)?.length === 0) waiting.delete(served)
        passed = new Map([...waiting.keys()].map((name) => [name, name === served ? 0 : (passed.get(name) ?? 0) + 1]))
        expect(Math.max(0, ...passed.values())).toBeLessThan(3)
      }
      expect(queue.size).toBe([...waiting.values()].flat().length)
      expectLongest()
    }),
    { seed },
  )
})
