import { array, assert, constantFrom, oneof, property, constant, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { createFairQueue } from '../../../../src/http/overload/fair-queue.ts'
import { newSeed } from '../../../faults/random.ts'

const ANY = () => true
/** Returns the weight of a flow: the number at the end of its last item, or 1. */
const weightOf = (items: readonly string[]) => Number(/\d+$/.exec(items.at(-1) ?? '')?.[0] ?? 1)

function filled(...items: readonly string[]) {
  const queue = createFairQueue(weightOf)
  for (const item of items) queue.push(item.charAt(0), item)
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
  expect([queue.remove('a', 'a1'), queue.remove('a', 'a1')]).toEqual([true, false])
  expect(queue.oldest()).toBe('b1')
  expect(drained(queue)).toEqual(['a2', 'b1'])
  expect([queue.size, queue.oldest(), queue.highest('count')]).toEqual([0, null, []])
})

it('finds the flow with the highest score, and among equals the one that changed last', () => {
  const queue = filled('a1', 'a1', 'b9', 'c1')
  expect([queue.highest('count'), queue.highest('weight')]).toEqual([['a1', 'a1'], ['b9']])
  expect([queue.countOf('a'), queue.countOf('nobody')]).toEqual([2, 0])
  expect([...queue.flows()]).toEqual([['a1', 'a1'], ['b9'], ['c1']])
  expect(filled('a1', 'b1', 'c1').highest('count')).toEqual(['c1'])
  expect(queue.remove('b', 'b9')).toBe(true)
  queue.next(ANY)
  expect([queue.highest('count'), queue.highest('weight')]).toEqual([['a1'], ['a1']])
})

const seed = newSeed()

it(`holds each item once, and no flow is passed twice while another waits (seed ${seed})`, () => {
  const step = oneof(tuple(constant('push'), constantFrom('a', 'b', 'c')), tuple(constant('next'), constant('')))
  assert(
    property(array(step, { maxLength: 200 }), (steps) => {
      const queue = createFairQueue(weightOf)
      const waiting = new Map<string, string[]>()
      let passed = new Map<string, number>()
      for (const [index, [kind, flow]] of steps.entries()) {
        if (kind === 'push') {
          queue.push(flow, `${flow}${index}`)
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
      expect(queue.highest('count').length).toBe(Math.max(0, ...[...waiting.values()].map((items) => items.length)))
    }),
    { seed },
  )
})
