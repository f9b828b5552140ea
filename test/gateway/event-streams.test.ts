import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { StreamError } from '../support/stream.ts'
import { brokenLinks, isCaughtUp, isReceived, sequences } from '../support/streams.ts'
import { startStage, type Stage } from './stage.ts'

describe('a stream that comes to the gateway as server-sent events', () => {
  let stage: Stage
  beforeAll(async () => void (stage = await startStage({ gatewayEnv: { STREAMS: 'http' } })))
  afterAll(() => stage.close())

  it('ends with an error when the subgraph is restarted, and goes on after its last cursor', async () => {
    const { id } = await createLink(stage.network)
    const first = await stage.follow(LINK_UPDATES, { id })
    await first.until(isCaughtUp)
    await stage.network.sandbox.control.setStatus(id, 'pending')
    await first.until((item) => item.event?.toStatus === 'pending')
    const ended = first.next()
    await Promise.all([expect(ended).rejects.toBeInstanceOf(StreamError), stage.network.restart()])
    await stage.network.sandbox.control.setStatus(id, 'received')
    const second = await stage.follow(LINK_UPDATES, { id, after: first.items.at(-1)?.cursor })
    await second.until(isReceived)
    await second.end()
    const all = [...first.items, ...second.items]
    expect(sequences(all)).toEqual([2, 3])
    expect(brokenLinks(all)).toEqual([])
  })
})
