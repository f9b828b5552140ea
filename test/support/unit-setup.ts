import child from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import sqlite from 'node:sqlite'

/** Has a unit test fail that opens a socket, a database or a process: it belongs into another folder (CONTRIBUTING.md). */
function refuse(what: string): () => never {
  return () => {
    throw new Error(`A unit test opens ${what}: CONTRIBUTING.md says where it belongs.`)
  }
}

net.Server.prototype.listen = refuse('a socket')
net.Socket.prototype.connect = refuse('a socket')
sqlite.DatabaseSync.prototype.exec = refuse('a database')
sqlite.DatabaseSync.prototype.prepare = refuse('a database')
for (const name of ['spawn', 'fork', 'exec', 'execFile', 'spawnSync', 'execFileSync', 'execSync'] as const)
  Object.assign(child, { [name]: refuse('a process') })
syncBuiltinESMExports()
