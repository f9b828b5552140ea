import { describe, expect, it } from 'vitest'
import { createStreamRegistry } from '../../../src/streams/stream-registry.ts'

function setUp(streamsPerToken: number, streamsPerSubject: number) {
  const registry = createStreamRegistry({ streamsPerToken, streamsPerSubject })
  const ended: string[] = []
  /** Opens a stream. Returns the function that closes it; null if it is refused. */
  const open = (name: string, payer: string | null, caller: string | null = null) => {
    const member = { payer, caller, replace: () => ended.push(name) }
    return registry.open(member) ? () => registry.leave(member) : null
  }
  return { open, ended }
}

describe('the streams of a process', () => {
  it('of one payer are so many, and the oldest makes room for the next', () => {
    const { open, ended } = setUp(2, 0)
    const leave = open('a', 'p')
    for (const name of ['b', 'c', 'd']) open(name, 'p')
    open('other', 'q')
    expect(ended).toEqual(['a', 'b'])
    // A stream that was ended leaves a second time when its connection closes.
    leave?.()
    open('e', 'p')
    expect(ended).toEqual(['a', 'b', 'c'])
  })

  it('are released by whoever leaves, once', () => {
    const { open, ended } = setUp(2, 0)
    const leave = open('a', 'p')
    open('b', 'p')
    leave?.()
    leave?.()
    open('c', 'p')
    expect(ended).toEqual([])
    open('d', 'p')
    expect(ended).toEqual(['b'])
  })

  it('of one caller are so many, and the next is refused', () => {
    const { open, ended } = setUp(1, 2)
    const [first, second] = [open('a', 'p', 'one'), open('b', 'q', 'one')]
    expect(open('c', 'p', 'one')).toBeNull()
    // A refused stream does not replace another one.
    expect(ended).toEqual([])
    expect(open('d', 'r', 'two')).not.toBeNull()
    first?.()
    expect(open('e', 's', 'one')).not.toBeNull()
    expect(open('f', 't', 'one')).toBeNull()
    second?.()
  })

  it('are any number where a limit is 0', () => {
    const { open, ended } = setUp(0, 0)
    for (let times = 0; times < 100; times += 1) expect(open('any', 'p', 'one')).not.toBeNull()
    expect(ended).toEqual([])
  })
})
