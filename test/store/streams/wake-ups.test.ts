import { describe, expect, it } from 'vitest'
import { createChannelWakeUps, createNotifiedWakeUps, type WakeUps } from '../../../src/streams/wake-ups.ts'
import { events } from '../contract/builders.ts'
import { append, openStore } from './log.ts'

const WRONG = ['', 'x', '-1', '1.5', '1e9', '9'.repeat(16), '{"position":1}']

/** Records what a listener is told. */
function listenTo(wakeUps: WakeUps): (number | null)[] {
  const told: (number | null)[] = []
  wakeUps.onWake((position) => told.push(position))
  return told
}

async function threeEvents() {
  const store = await openStore()
  for (const id of ['P0', 'P1', 'P0']) await append(store, id)
  return events(store)
}

describe('wake-ups over one channel', () => {
  function create() {
    const sent: string[] = []
    let tell: (text: string) => void = () => {}
    let connect = () => {}
    const wakeUps = createNotifiedWakeUps(({ onText, onConnected }) => {
      tell = onText
      connect = onConnected
      return { send: (text) => sent.push(text), isConnected: true, close: () => Promise.resolve() }
    })
    return { wakeUps, sent, tell: (text: string) => tell(text), connect: () => connect() }
  }

  it('announce the last position of a commit', async () => {
    const { wakeUps, sent } = create()
    wakeUps.announce(await threeEvents())
    wakeUps.announce([])
    expect(sent).toEqual(['3'])
  })

  it('wake a node while it has followers, and once for the first and for each connection', () => {
    const { wakeUps, tell, connect } = create()
    const told = listenTo(wakeUps)
    connect()
    tell('1')
    expect(told).toEqual([])
    wakeUps.follow('payment:P0')
    wakeUps.follow(null)
    expect(told).toEqual([null])
    tell('2')
    connect()
    wakeUps.unfollow(null)
    tell('3')
    wakeUps.unfollow('payment:P0')
    tell('4')
    expect(told).toEqual([null, 2, null, 3])
  })

  it.each(WRONG)('are not woken by %j', (text) => {
    const { wakeUps, tell } = create()
    wakeUps.follow(null)
    const told = listenTo(wakeUps)
    tell(text)
    expect(told).toEqual([])
  })
})

describe('wake-ups over a channel per stream', () => {
  function create() {
    const asked: unknown[] = []
    let tell: (text: string) => void = () => {}
    let add = () => {}
    const wakeUps = createChannelWakeUps('log-1', ({ onText, onAdded }) => {
      tell = onText
      add = onAdded
      return {
        publish: (messages) => asked.push(...messages),
        add: (channel) => asked.push(`add ${channel}`),
        remove: (channel) => asked.push(`remove ${channel}`),
        isConnected: true,
        close: () => Promise.resolve(),
      }
    })
    return { wakeUps, asked, tell: (text: string) => tell(text), add: () => add() }
  }

  it('announce the last position of a commit to each of its streams, and to the whole log', async () => {
    const { wakeUps, asked } = create()
    wakeUps.announce(await threeEvents())
    wakeUps.announce([])
    expect(asked).toEqual([
      ['payments:log-1:payment:P0', '3'],
      ['payments:log-1:payment:P1', '3'],
      ['payments:log-1:log', '3'],
    ])
  })

  it('hear what is followed, and wake when it is confirmed', () => {
    const { wakeUps, asked, tell, add } = create()
    const told = listenTo(wakeUps)
    wakeUps.follow('payment:P0')
    wakeUps.follow(null)
    wakeUps.unfollow('payment:P0')
    expect(asked).toEqual([
      'add payments:log-1:payment:P0',
      'add payments:log-1:log',
      'remove payments:log-1:payment:P0',
    ])
    add()
    tell('7')
    for (const text of WRONG) tell(text)
    expect(told).toEqual([null, 7])
  })
})
