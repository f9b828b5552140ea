import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './free-port.ts'
import { notRoot } from './postgres-server.ts'
import { type Database, missing, type PostgresServer } from './postgres.ts'

const PATH = process.env['PGBOUNCER_PATH'] ?? '/usr/sbin/pgbouncer'

/** PgBouncer in transaction mode, in front of a server. URLs of its databases lead through PgBouncer; their `run` and `drop` do not. */
export type PgBouncer = PostgresServer & {
  start(): Promise<void>
  /** Kills the process, because the meaning of SIGTERM differs between versions. */
  stop(): Promise<void>
  remove(): Promise<void>
}

export type PgBouncerOptions = {
  /** Connections to the server for each database. */
  readonly poolSize: number
  /** Further lines of the section `[pgbouncer]`. */
  readonly settings?: readonly string[]
}

/** Returns whether PgBouncer can be started here. If not, throws under CI; elsewhere the suites that need it are skipped. */
export function hasPgBouncer(): boolean {
  if (existsSync(PATH)) return true
  missing(`There is no PgBouncer at ${PATH}`, 'install it (`apt-get install pgbouncer`), or name it in PGBOUNCER_PATH')
  return false
}

/** Starts PgBouncer in front of a server, on a free port. */
export async function startPgBouncer(server: PostgresServer, options: PgBouncerOptions): Promise<PgBouncer> {
  const identity = notRoot()
  const folder = mkdtempSync(join(tmpdir(), 'payments-pgbouncer-'))
  const settings = join(folder, 'pgbouncer.ini')
  const port = await freePort()
  writeFileSync(settings, settingsOf(new URL(server.address), port, options))
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid)
  let pooler: ChildProcess | null = null

  const own: PgBouncer = {
    address: throughPort(server.address, port),
    async createDatabase(kind) {
      const database = await server.createDatabase(kind)
      return { ...database, url: throughPort(database.url, port) } satisfies Database
    },
    async start() {
      pooler = await spawned(settings, identity)
    },
    async stop() {
      if (pooler === null) return
      const ended = once(pooler, 'exit')
      pooler.kill('SIGKILL')
      await ended
      pooler = null
    },
    async remove() {
      await own.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await own.start()
  return own
}

function settingsOf(server: URL, port: number, { poolSize, settings = [] }: PgBouncerOptions): string {
  const { hostname, username, password } = server
  const secret = password === '' ? '' : ` password=${decodeURIComponent(password)}`
  return [
    '[databases]',
    `* = host=${hostname} port=${server.port || '5432'} user=${decodeURIComponent(username)}${secret}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    ...settings,
    '',
  ].join('\n')
}

/** Resolves when PgBouncer listens. Rejects with its standard error if it ends instead. */
async function spawned(settings: string, identity: ReturnType<typeof notRoot>): Promise<ChildProcess> {
  const pooler = spawn(PATH, [settings], { ...identity, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  const said: string[] = []
  for await (const line of createInterface({ input: pooler.stderr })) {
    said.push(line)
    if (!line.includes('process up')) continue
    pooler.stderr.resume()
    return pooler
  }
  throw new Error(`PgBouncer did not start: ${said.join('\n')}`)
}

function throughPort(address: string, port: number): string {
  const url = new URL(address)
  url.host = `127.0.0.1:${port}`
  return url.href
}
