import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMakeServer } from '../support/postgres-server.ts'
import { deliver, paymentBody } from '../support/webhooks.ts'
import { type ReplaceableServer, startReplaceableServer } from './cluster-servers.ts'
import { type Cluster, type ClusterNode, eventually, startCluster } from './cluster.ts'
import { followLogAt, type LogFollower } from './log-follower.ts'

const EVENTS = 3

// promise(kept): After a failover to an asynchronous standby, streams that sent a lost event get `RESYNC_REQUIRED`, and
// all others continue.
describe.skipIf(!canMakeServer())('a failover that loses commits', () => {
  let postgres: ReplaceableServer
  let cluster: Cluster
  let nodes: ClusterNode[]
  let followers: LogFollower[]

  beforeAll(async () => {
    postgres = await startReplaceableServer()
    cluster = await startCluster(postgres.server)
    nodes = [await cluster.startNode(), await cluster.startNode(), await cluster.startNode()]
    followers = await Promise.all(nodes.map(({ url }) => followLogAt(() => url)))
  })
  afterAll(async () => {
    await Promise.all((followers ?? []).map((follower) => follower.stop()))
    await cluster?.close()
    await postgres?.remove()
  })

  /** Sends new webhooks, each until it is acknowledged. Returns the ids of their events. */
  const append = async (count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => randomUUID())
    for (const [index, uuid] of ids.entries())
      await eventually('a webhook is acknowledged', async () => {
        const { status } = await deliver(`${nodes[index % 2]?.url}/webhooks/payments`, paymentBody({ uuid }))
        return status === 200
      })
    return ids.map((id) => `payment:${id}.1`)
  }
  const haveAll = (ids: readonly string[], of = followers) =>
    eventually('the subscribers have these events', async () =>
      of.every(({ events }) => ids.every((id) => events.includes(id))),
    )

  it('is told to the subscribers of lost events, and unnoticed by those who had none of them', async () => {
    const [, , third] = nodes
    const [, , behind] = followers
    const before = await append(EVENTS)
    await haveAll(before)
    third?.pause()
    const ahead = followers.slice(0, 2)
    let lost: string[] = []
    await postgres.failOverToOneBehind(async () => {
      lost = await append(EVENTS)
      await haveAll(lost, ahead)
    })
    third?.resume()
    const after = await append(2 * EVENTS)
    await eventually('the subscribers are told', async () => ahead.every(({ faults }) => faults.length > 0))
    const last = await append(EVENTS)
    await haveAll(last)

    expect(behind?.faults).toEqual([])
    expect(behind?.events).toEqual([...before, ...after, ...last])
    for (const { faults, events } of ahead) {
      expect(faults).toEqual(['a cursor was refused'])
      // Then they start again from the beginning of the log.
      expect(events).toEqual([...before, ...lost, ...before, ...after, ...last])
    }
  }, 300_000)
})
