import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Sandbox, startSandbox } from 'payments-subgraph-sandbox'
import { SECRETS, settingsFor } from '../support/app-settings.ts'
import { askAt, type Network } from '../support/network.ts'
import { type PartitionProxy, startPartitionProxy } from '../support/partition-proxy.ts'
import type { Database, PostgresServer } from '../support/postgres.ts'
import { COMPILED } from '../support/process.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'

/** Several nodes on one PostgreSQL database, in processes of their own, and the payments API behind a proxy. */
export type Cluster = {
  readonly database: Database
  readonly sandbox: Sandbox
  readonly proxy: UpstreamProxy
  /** Starts another node, whose clock is ahead of the machine's by so many milliseconds. */
  startNode(clockAheadMs?: number): Promise<ClusterNode>
  /** Waits until one of these nodes, and no other of them, is the leader. Returns it. */
  leaderOf(nodes: readonly ClusterNode[]): Promise<ClusterNode>
  /** Lets a stored time pass: the heartbeat and the lease are then older by so many milliseconds. */
  age(milliseconds: number): Promise<void>
  /** Kills all nodes, and drops the database. */
  close(): Promise<void>
}

export type ClusterNode = Pick<Network, 'ask'> & {
  readonly url: string
  /** Returns the sum of the figures of a metric, over all labels or for some. */
  metric(name: string, labels?: string): Promise<number>
  /** Stops and continues the process as a whole. */
  pause(): void
  resume(): void
  /** Cuts the node, and no other one, off from a server until `heal` is called. */
  cutOff(from: SharedServer): void
  heal(): void
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>
}

/** The setting of a server that nodes share. */
export type SharedServer = 'DATABASE_URL' | 'REDIS_URL'

/** What a node is started with. */
export type NodeSettings = { readonly env: Readonly<Record<string, string>>; readonly clockAheadMs: number }

const SHARED: readonly SharedServer[] = ['DATABASE_URL', 'REDIS_URL']
const ENTRY = fileURLToPath(new URL('./cluster-node.ts', import.meta.url))
/** For what happens at all, on a machine with other work. */
const PATIENCE_MS = 240_000
const POLL_MS = 100

/** Starts the payments API, and creates a database. `settings` are further settings of the nodes. */
export async function startCluster(
  server: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const database = await server.createDatabase({ migrated: true })
  const proxy = await startUpstreamProxy()
  const sandbox = await startSandbox({ webhookSecret: SECRETS.webhook, paceMs: 1 })
  proxy.target = sandbox.origin
  const nodes: ClusterNode[] = []
  const env = settingsFor({
    folder: '',
    port: '0',
    sandbox,
    options: { upstreamUrl: proxy.url, env: { DATABASE_URL: database.url, ...settings } },
  })
  return {
    database,
    sandbox,
    proxy,
    async startNode(clockAheadMs = 0) {
      const node = await startNode({ env, clockAheadMs })
      nodes.push(node)
      return node
    },
    async leaderOf(candidates) {
      let leader: ClusterNode | undefined
      await eventually('one node is the leader', async () => {
        const leads = await Promise.all(candidates.map((node) => node.metric('payments_reader_leader')))
        leader = candidates[leads.indexOf(1)]
        return leads.reduce((sum, figure) => sum + figure, 0) === 1
      })
      if (leader === undefined) throw new Error('No node is the leader.')
      return leader
    },
    age: async (milliseconds) =>
      void (await database.run(`UPDATE meta SET heartbeat_at = heartbeat_at - ${milliseconds};
        UPDATE leases SET until = until - ${milliseconds}`)),
    async close() {
      await Promise.all(nodes.map((node) => node.kill()))
      await sandbox.close()
      await proxy.close()
      await database.drop()
    },
  }
}

/** Waits until a condition holds. Throws if it does not within four minutes. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`It did not come true that ${what}.`)
    await setTimeout(POLL_MS)
  }
}

/** Returns the fencing number of the reader's lease: how often it was taken. */
export async function fenceOf({ database }: Cluster): Promise<number> {
  const [row] = await database.run('SELECT fencing_number AS fence FROM leases')
  return Number(row?.['fence'])
}

/** Returns how many sweeps these nodes have begun since they started. */
export async function sweepsOf(nodes: readonly ClusterNode[]): Promise<number> {
  const counts = await Promise.all(nodes.map((node) => node.metric('payments_sweeps_total')))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Waits until a heartbeat was written so many times. */
export async function heartbeats({ database }: Cluster, count: number): Promise<void> {
  const last = async () => String((await database.run('SELECT heartbeat_at FROM meta'))[0]?.['heartbeat_at'])
  for (let n = 0; n < count; n++) {
    const before = await last()
    await eventually('there is a heartbeat', async () => (await last()) !== before)
  }
}

async function startNode({ env, clockAheadMs }: NodeSettings): Promise<ClusterNode> {
  const links = new Map<string, PartitionProxy>()
  for (const name of SHARED) if (env[name] !== undefined) links.set(name, await startPartitionProxy(env[name]))
  const own = Object.fromEntries([...links].map(([name, link]) => [name, link.through(env[name] ?? '')]))
  const settings: NodeSettings = { env: { ...env, ...own }, clockAheadMs }
  const child = fork(ENTRY, [JSON.stringify(settings)], {
    execArgv: [],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const dead = once(child, 'exit').then(async () => {
    for (const link of links.values()) await link.close()
    return null
  })
  const [url] = (await Promise.race([once(child, 'message'), dead.then(() => [null])])) as [string | null]
  if (url === null) throw new Error('The node has ended before it listened.')
  return {
    url,
    ask: askAt(() => url),
    async metric(name, labels = '') {
      const text = await (await fetch(`${url}/metrics`)).text()
      const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(labels))
      return lines.map((line) => Number(line.split(' ').at(-1))).reduce((sum, figure) => sum + figure, 0)
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    cutOff: (from) => links.get(from)?.cut(),
    heal: () => [...links.values()].forEach((link) => link.heal()),
    async kill() {
      child.kill('SIGKILL')
      await dead
    },
  }
}
