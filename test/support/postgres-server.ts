import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { answers, missing, type PostgresServer, serverAt } from './postgres.ts'

/** A PostgreSQL server of a test's own, which may be harmed. */
export type OwnServer = PostgresServer & {
  start(): Promise<void>
  /** Asks it to stop: it turns everybody out, and ends in good order. */
  stop(): Promise<void>
  /** Finds every process of it, and gives the function that kills them at once. */
  aim(): () => Promise<void>
  /** Stops every process of it where it stands, until it is resumed. */
  pause(): void
  resume(): void
  /** Lets it start as a copy that only follows another server, and takes no writes. */
  asReplica(replica: boolean): void
  remove(): Promise<void>
}

/** Whether a server can be made here. Where it cannot the suites that need one fail under CI, and are skipped elsewhere. */
export function canMakeServer(): boolean {
  if (findPrograms() !== null) return true
  missing('There is no initdb', 'install the server programs of PostgreSQL')
  return false
}

/** Makes a server that runs. */
export async function createOwnServer(): Promise<OwnServer> {
  const programs = findPrograms()
  if (programs === null) throw new Error('There is no initdb.')
  const identity = notRoot()
  const folder = mkdtempSync(join(tmpdir(), 'payments-postgres-'))
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  execFileSync(join(programs, 'initdb'), init, { ...identity, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const port = await freePort()
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=50']
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  let server: ChildProcess | null = null

  const signal = (name: NodeJS.Signals, pids = familyOf(server?.pid ?? 0)): void => {
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
        // It does not start while a process of its predecessor is about to end.
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
      const pids = familyOf(server?.pid ?? 0)
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
    async remove() {
      signal('SIGCONT')
      await own.aim()()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await own.start()
  return own
}

/** The folder of the server's programs: on the path, or where Debian keeps them. */
function findPrograms(): string | null {
  const onPath = (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, 'initdb')))
  if (onPath !== undefined) return onPath
  const debian = '/usr/lib/postgresql'
  const [newest] = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  return newest === undefined ? null : join(debian, newest, 'bin')
}

/** The server and its pooler refuse to run as root: then they run as the user that the server's package has made. */
export function notRoot(): { readonly uid: number; readonly gid: number } | Record<'uid' | 'gid', undefined> {
  if (process.getuid?.() !== 0) return { uid: undefined, gid: undefined }
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** A process and its children. */
function familyOf(parent: number): number[] {
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
    // It has ended meanwhile.
  }
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
