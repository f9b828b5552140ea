import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { answers, missing, type PostgresServer, runAt, serverAt } from './postgres.ts'

/** A PostgreSQL server of one test, which may damage it. */
export type OwnServer = PostgresServer & {
  start(): Promise<void>
  /** Stops the server in good order: it closes all connections (fast shutdown). */
  stop(): Promise<void>
  /** Finds all processes of the server. Returns the function that kills them at once. */
  aim(): () => Promise<void>
  /** Suspends all processes of the server until `resume`. */
  pause(): void
  resume(): void
  /** Decides whether the server starts as a read-only replica that follows another server. */
  asReplica(replica: boolean): void
  /** Creates and starts a server that follows this one. Resolves when each commit here waits for that server. */
  createStandby(): Promise<OwnServer>
  /** Has commits wait for no standby. */
  dropStandby(): Promise<void>
  /** Ends the recovery of a standby: from then on it accepts writes. */
  promote(): Promise<void>
  /**
   * Takes a base backup, and archives the write-ahead log from then on; restarts the server. Returns the function that creates and starts a
   * server with everything up to an instant of this one's clock.
   */
  backUp(): Promise<(instant: string) => Promise<OwnServer>>
  remove(): Promise<void>
}

/** Returns whether a server can be created here. If not, throws under CI; elsewhere the suites that need one are skipped. */
export function canMakeServer(): boolean {
  if (findPrograms() !== null) return true
  missing('There is no initdb', 'install the server programs of PostgreSQL')
  return false
}

/** Creates and starts a server. */
export function createOwnServer(): Promise<OwnServer> {
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  return startOwnServer((data, run) => run('initdb', '-D', data, ...options))
}

/** Starts a server in a folder that `write` fills, with programs of PostgreSQL and of the system. */
async function startOwnServer(
  write: (data: string, run: (program: string, ...args: string[]) => void) => void,
): Promise<OwnServer> {
  const programs = findPrograms()
  if (programs === null) throw new Error('There is no initdb.')
  const identity = notRoot()
  const folder = mkdtempSync(join(tmpdir(), 'payments-postgres-'))
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` }
  const run = (program: string, ...args: string[]) =>
    void execFileSync(program, args, { ...identity, cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  write(data, run)
  const port = await freePort()
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const from = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', '-c', 'fast', '--no-sync']
  let server: ChildProcess | null = null

  const signal = (name: NodeJS.Signals, pids = familyOf(server?.pid)): void => {
    for (const pid of pids) signalOne(pid, name)
  }
  const ended = async (): Promise<void> => {
    if (server !== null && server.exitCode === null && server.signalCode === null) await once(server, 'exit')
    server = null
  }

  const own: OwnServer = {
    ...serverAt(address),
    async start() {
      while (!(await answers(address))) {
        // A start fails while a process of the previous server is still ending.
        if (server === null || server.exitCode !== null)
          server = spawn(join(programs, 'postgres'), args, { ...identity, cwd: folder, stdio: 'ignore' })
        await delay(50)
      }
    },
    async stop() {
      server?.kill('SIGINT')
      await ended()
    },
    aim() {
      const pids = familyOf(server?.pid)
      return async () => {
        signal('SIGKILL', pids)
        await ended()
      }
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    asReplica(replica) {
      const mark = join(data, 'standby.signal')
      if (replica) writeFileSync(mark, '')
      else rmSync(mark)
    },
    async createStandby() {
      const standby = await startOwnServer((copy, copyBy) => copyBy('pg_basebackup', '-D', copy, '-R', ...from))
      await runAt(address, "ALTER SYSTEM SET synchronous_standby_names = '*'")
      await runAt(address, 'SELECT pg_reload_conf()')
      const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
      while ((await runAt(address, isSynchronous)).length === 0) await delay(50)
      return standby
    },
    async dropStandby() {
      await runAt(address, 'ALTER SYSTEM RESET synchronous_standby_names')
      await runAt(address, 'SELECT pg_reload_conf()')
    },
    async promote() {
      await runAt(address, 'SELECT pg_promote()')
    },
    async backUp() {
      const [archive, base] = [join(folder, 'archive'), join(folder, 'base')]
      run('mkdir', archive)
      await runAt(address, 'ALTER SYSTEM SET archive_mode = on')
      await runAt(address, `ALTER SYSTEM SET archive_command = 'cp %p ${archive}/%f'`)
      await own.stop()
      await own.start()
      run('pg_basebackup', '-D', base, ...from)
      return async (instant) => {
        const [{ last } = {}] = await runAt(address, 'SELECT pg_walfile_name(pg_switch_wal()) AS last')
        const isArchived = `SELECT 1 FROM pg_stat_archiver WHERE last_archived_wal >= '${String(last)}'`
        while ((await runAt(address, isArchived)).length === 0) await delay(50)
        const recovery = [`restore_command = 'cp ${archive}/%f %p'`, `recovery_target_time = '${instant}'`]
        const restored = await startOwnServer((copy, copyBy) => {
          copyBy('cp', '-a', base, copy)
          const lines = [...recovery, 'recovery_target_action = promote', 'archive_mode = off']
          appendFileSync(join(copy, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
          writeFileSync(join(copy, 'recovery.signal'), '')
        })
        while ((await runAt(restored.address, 'SELECT 1 WHERE pg_is_in_recovery()')).length > 0) await delay(50)
        return restored
      }
    },
    async remove() {
      signal('SIGCONT')
      await own.aim()()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await own.start()
  return own
}

/** Returns the folder of PostgreSQL's programs, with this one, from PATH or where Debian installs them; null if there is none. */
export function findPrograms(program = 'initdb'): string | null {
  const onPath = (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, program)))
  if (onPath !== undefined) {
    // The other programs are where a link leads to, unless it leads to Debian's wrapper of all versions.
    const linked = dirname(realpathSync(join(onPath, program)))
    return existsSync(join(linked, program)) ? linked : onPath
  }
  const debian = '/usr/lib/postgresql'
  const [newest] = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  return newest === undefined ? null : join(debian, newest, 'bin')
}

/**
 * Returns the ids of the user `postgres`, which the server's package creates, if this process runs as root: the server and its pooler
 * refuse to run as root.
 */
export function notRoot(): { readonly uid: number; readonly gid: number } | Record<'uid' | 'gid', undefined> {
  if (process.getuid?.() !== 0) return { uid: undefined, gid: undefined }
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Returns the ids of a process and its children; none without a process. */
function familyOf(parent: number | undefined): number[] {
  if (parent === undefined) return []
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = all
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && (pid === parent || ppid === parent) ? [pid] : []))
}

function signalOne(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended.
  }
}
