import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ServerOptions, type ServerProcess, startServer } from './processes.ts'

export type Peer = 'apollo' | 'fastify' | 'graphql-ws' | 'mercurius' | 'ws' | 'yoga'

const FOLDER = fileURLToPath(new URL('../', import.meta.url))

/** Installs the packages of the peers in a separate folder, unless they are installed. */
export function installPeers(): void {
  if (existsSync(`${FOLDER}node_modules/.package-lock.json`)) return
  console.error('The peers are not installed: npm ci --prefix bench --ignore-scripts')
  const args = ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Returns the path of a peer's module. */
export function moduleOf(peer: Peer): string {
  return `${FOLDER}peers/${peer}.mjs`
}

/** Starts a peer. */
export function startPeer(peer: Peer, { env = {}, ...options }: ServerOptions): Promise<ServerProcess> {
  return startServer(moduleOf(peer), { ...options, env: { NODE_ENV: 'production', ...env } })
}
