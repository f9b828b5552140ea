import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { missing } from './postgres.ts'

const PATH = process.env['CADDY_PATH'] ?? '/usr/bin/caddy'
const CADDYFILE = join(import.meta.dirname, '../../Caddyfile')

/** Returns whether Caddy can be started here. If not, throws under CI; elsewhere the suites that need it are skipped. */
export function hasCaddy(): boolean {
  if (existsSync(PATH)) return true
  missing(`There is no Caddy at ${PATH}`, 'install it (`apt-get install caddy`), or name it in CADDY_PATH')
  return false
}

/** The load balancer of compose.yaml, on a free port. */
export type Balancer = { readonly url: string; stop(): Promise<void> }

/** Reserves a port and returns its URL with the function that starts Caddy there; its own files are in `folder`. */
export async function prepareBalancer(folder: string) {
  const url = `http://127.0.0.1:${await freePort()}`
  return {
    url,
    /** Starts Caddy in front of nodes (`host:port`), and waits until one of them answers through it. */
    async start(nodes: readonly string[]): Promise<Balancer> {
      const env = { PUBLIC_URL: url, NODES: nodes.join(' '), HOME: folder }
      const args = ['run', '--config', CADDYFILE, '--adapter', 'caddyfile']
      const caddy = spawn(PATH, args, { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
      let log = ''
      caddy.stderr.setEncoding('utf8').on('data', (part: string) => (log += part))
      const ended = once(caddy, 'close')
      while (
        !(await fetch(`${url}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        ))
      ) {
        if (caddy.exitCode !== null) throw new Error(`Caddy has ended:\n${log}`)
        await sleep(50)
      }
      return {
        url,
        async stop() {
          caddy.kill('SIGKILL')
          await ended
        },
      }
    },
  }
}
