import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A gateway in a process of its own. */
export type GatewayProcess = {
  /** Returns its whole output. */
  output(): string
  /** Kills it at once, like a failure of its machine. */
  kill(): Promise<void>
}

export type GatewayOptions = {
  readonly port: number
  readonly supergraph: string
  readonly env: Readonly<Record<string, string>>
}

/** A package of its own, so that the gateway's hundreds of packages are not part of the product's dependencies. */
const FOLDER = join(import.meta.dirname, 'hive')
const BINARY = join(FOLDER, 'node_modules/@graphql-hive/gateway/dist/bin.js')
/** The documented configuration. It is copied to where the gateway's packages can be resolved. */
const RECIPE = join(import.meta.dirname, '../../docs/federation/gateway.config.ts')
/** Milliseconds that the gateway may take to start: it loads some hundred packages. */
const START_MS = 60_000

/** Starts Hive Gateway with the documented configuration, and waits until it answers. */
export async function startGateway({ port, supergraph, env }: GatewayOptions): Promise<GatewayProcess> {
  const config = join(FOLDER, `data/${port}.config.ts`)
  mkdirSync(join(FOLDER, 'data'), { recursive: true })
  copyFileSync(RECIPE, config)
  const args = ['supergraph', supergraph, '--config-path', config, '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, [BINARY, ...args, '--polling', '1h'], {
    cwd: FOLDER,
    env: {
      NODE_ENV: 'production',
      SHUTDOWN_DELAY_MS: '0',
      NODE_COMPILE_CACHE: join(tmpdir(), 'gateway-compiled'),
      PATH: process.env['PATH'],
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  const exited = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(config, { force: true })
  }
  try {
    await answers(`http://127.0.0.1:${port}/readiness`, () => child.exitCode !== null)
  } catch (error) {
    await kill()
    throw new Error(`The gateway did not start:\n${text}`, { cause: error })
  }
  return { output: () => text, kill }
}

async function answers(url: string, hasEnded: () => boolean): Promise<void> {
  const deadline = performance.now() + START_MS
  for (;;) {
    const response = await fetch(url).catch(() => null)
    if (response?.ok === true) return
    if (hasEnded() || performance.now() > deadline) throw new Error('It does not answer.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
