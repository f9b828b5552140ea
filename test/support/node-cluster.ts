import { expect } from 'vitest'
import { type Network, type NetworkOptions, startNetwork } from './network.ts'
import type { Database } from './postgres.ts'
import type { RedisServer } from './redis-server.ts'
import { gauge } from './streams.ts'

export type NodeCluster = {
  /** The first one has the sandbox of all. */
  readonly nodes: readonly [Network, Network, Network]
  close(): Promise<void>
}

/** Starts three nodes on one database, one Redis server and one sandbox. Resolves when Redis answers all of them. */
export async function startNodeCluster(
  { url }: Pick<Database, 'url'>,
  redis: Pick<RedisServer, 'url'>,
  { env, ...options }: NetworkOptions = {},
): Promise<NodeCluster> {
  const shared = { ...options, env: { DATABASE_URL: url, REDIS_URL: redis.url, ...env } }
  const first = await startNetwork(shared)
  const other = () => startNetwork({ upstreamUrl: first.sandbox.url, ...shared })
  const nodes = [first, await other(), await other()] as const
  const connected = () => Promise.all(nodes.map((node) => gauge(node, 'payments_redis_connected')))
  await expect.poll(connected).toEqual([1, 1, 1])
  return {
    nodes,
    async close() {
      for (const node of nodes.toReversed()) await node.close()
    },
  }
}
