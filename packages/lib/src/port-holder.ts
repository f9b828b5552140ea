import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

/** A process that listens on a port. */
export type PortHolder = { readonly pid: number; readonly program: string }

const LISTENING = '0A'

/** Returns the process that listens on a TCP port of this machine; null where that cannot be known: not on Linux, or not of this user. */
export function portHolder(port: number): PortHolder | null {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => socketsOn(port, table)))
  if (sockets.size === 0) return null
  const pids = entriesOf('/proc').filter((name) => /^\d+$/.test(name))
  const pid = pids.find((candidate) => holdsOneOf(sockets, `/proc/${candidate}/fd`))
  return pid === undefined ? null : { pid: Number(pid), program: programOf(pid) }
}

/** The name of the executable file: `comm` is that of a thread, which Node.js calls MainThread. */
function programOf(pid: string): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`))
  } catch {
    return textOf(`/proc/${pid}/comm`).trim()
  }
}

/** Source: proc_net_tcp.rst of the kernel's documentation. Ports are hexadecimal, and the tenth column is the inode of the socket. */
function socketsOn(port: number, table: string): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return textOf(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(suffix) && state === LISTENING)
    .map((columns) => `socket:[${columns[9] ?? ''}]`)
}

function holdsOneOf(sockets: ReadonlySet<string>, folder: string): boolean {
  return entriesOf(folder).some((name) => {
    try {
      return sockets.has(readlinkSync(`${folder}/${name}`))
    } catch {
      return false
    }
  })
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
