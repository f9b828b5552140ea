import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { RedisConfig } from '../../src/config/database.ts'
import { freePort } from './free-port.ts'
import { missing } from './postgres.ts'

const PROGRAM = process.env['REDIS_SERVER_PATH'] ?? 'redis-server'

/** A Redis server of one test, which may damage it. */
export type RedisServer = {
  readonly port: number
  readonly url: string
  readonly config: RedisConfig
  start(): Promise<void>
  /** Kills the process; what was in memory is lost. */
  stop(): Promise<void>
  /** Suspends the process until `resume`: it takes connections and does not answer. */
  pause(): void
  resume(): void
  /** Runs one command on a connection of its own. */
  run(command: string, ...args: string[]): Promise<unknown>
  /** Returns every command that the server receives from now on, and the function that ends this. */
  monitor(): Promise<{ readonly seen: string[]; end(): void }>
  remove(): Promise<void>
}

/** Returns whether a Redis server can be started here. If not, throws under CI; elsewhere the suites that need one are skipped. */
export function canMakeRedis(): boolean {
  if (spawnSync(PROGRAM, ['--version']).status === 0) return true
  missing('There is no redis-server', 'install Redis or Valkey, or name its server in REDIS_SERVER_PATH')
  return false
}

/** Starts a server that keeps nothing on disk. `settings` are further arguments of its command line. */
export async function createRedisServer(settings: readonly string[] = []): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-redis-'))
  const port = await freePort()
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...settings]
  const isCluster = settings.includes('--cluster-enabled')
  let server: ChildProcess | null = null

  const client = () => new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null, retryStrategy: () => 50 })
  const run = async (command: string, ...values: string[]): Promise<unknown> => {
    const connection = client()
    connection.on('error', () => {})
    try {
      return await connection.call(command, ...values)
    } finally {
      connection.disconnect()
    }
  }

  const own: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}${isCluster ? '?cluster=true' : ''}`,
    config: { host: '127.0.0.1', port, tls: false, username: null, password: null, database: 0, cluster: isCluster },
    async start() {
      server = spawn(PROGRAM, args, { stdio: 'ignore' })
      await run('PING')
    },
    async stop() {
      if (server === null) return
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
      server = null
    },
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    run,
    async monitor() {
      // Not over the driver, which fails when commands come in one packet with the answer to MONITOR.
      const seen: string[] = []
      const socket = connect(port, '127.0.0.1')
      const lines = createInterface({ input: socket })
      const begun = once(lines, 'line')
      lines.on('line', (line) => {
        if (line !== '+OK') seen.push(Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word]) => word).join(' '))
      })
      socket.write('MONITOR\r\n')
      await begun
      return { seen, end: () => socket.destroy() }
    },
    async remove() {
      await own.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await own.start()
  return own
}

/** Starts a cluster of two servers, each with half of the slots. */
export async function createRedisCluster(): Promise<readonly [RedisServer, RedisServer]> {
  const busPorts = [await freePort(), await freePort()]
  const createNode = (index: number) =>
    createRedisServer(['--cluster-enabled', 'yes', '--cluster-port', `${busPorts[index]}`])
  const nodes = [await createNode(0), await createNode(1)] as const
  const [first, second] = nodes
  await first.run('CLUSTER', 'ADDSLOTSRANGE', '0', '8191')
  await second.run('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383')
  await second.run('CLUSTER', 'SET-CONFIG-EPOCH', '2')
  await second.run('CLUSTER', 'MEET', '127.0.0.1', `${first.port}`, `${busPorts[0]}`)
  for (const node of nodes)
    while (!String(await node.run('CLUSTER', 'INFO')).includes('cluster_state:ok')) await delay(50)
  return nodes
}

/** Resolves when a condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5)
}
