import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { SandboxOptions } from './start.ts'

const USAGE = `Usage: payments-subgraph-sandbox [--port <number>] [--host <address>] [--allowed-host <name>]… [--reset]

  --port          where to listen; default: SANDBOX_PORT, or 4010; 0 for any free port
  --host          at which address; default: HOST, or 127.0.0.1
  --allowed-host  another name under which it may be reached, and to which it may send webhooks
  --reset         removes all data of the sandbox that runs there, and ends

SANDBOX_DATABASE_URL, such as file:./data/sandbox.db, keeps the data over a restart.
UPSTREAM_SITES and WEBHOOK_SECRETS replace the fixed credentials.
`

type CommandLine =
  | { options: SandboxOptions; isReset: boolean }
  | { faults: string[] }
  | { usage: string; isWanted: boolean }

/**
 * Reads the sandbox's options from the arguments and, for options not given there, the environment. Returns the problems if
 * any.
 */
export function readCommandLine(args: string[], env: Readonly<Record<string, string | undefined>>): CommandLine {
  const values = parse(args)
  if (values === undefined) return { usage: USAGE, isWanted: false }
  if (values.help === true) return { usage: USAGE, isWanted: true }
  const { port, host, 'allowed-host': allowedHosts } = values
  const read = readEnvironment({
    ...env,
    ...(port === undefined ? {} : { SANDBOX_PORT: port }),
    ...(host === undefined ? {} : { HOST: host }),
  })
  if ('faults' in read) return read
  const options = allowedHosts === undefined ? read.options : { ...read.options, allowedHosts }
  return { options, isReset: values.reset === true }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values
  } catch {
    return undefined
  }
}

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  'allowed-host': { type: 'string', multiple: true },
  reset: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const DEFAULT_PORT = 4010

const SITES = z
  .array(
    z.object({
      id: z.string().min(1),
      appId: z.string().min(1),
      secretKey: z.string().min(1),
      currencies: z.array(z.string().regex(/^[A-Z]{3,4}$/)).min(1),
    }),
  )
  .min(1)

/** Reads the sandbox's options from its environment, or returns all problems with it; a problem never repeats a value. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): { options: SandboxOptions } | { faults: string[] } {
  const faults: string[] = []
  const options: SandboxOptions = { port: readPort(env['SANDBOX_PORT'], faults) }
  const sites = readSites(env['UPSTREAM_SITES'], faults)
  const secret = env['WEBHOOK_SECRETS']?.split(',')[0]?.trim()
  const statePath = readStatePath(env['SANDBOX_DATABASE_URL'], faults)
  if (statePath !== undefined) options.statePath = statePath
  if (env['HOST']) options.host = env['HOST']
  if (sites !== undefined) options.sites = sites
  if (secret) options.webhookSecret = secret
  return faults.length === 0 ? { options } : { faults }
}

/** Without the setting, or with `none`, the state is only in memory. */
function readStatePath(text: string | undefined, faults: string[]): string | undefined {
  if (!text || text === 'none') return undefined
  const path = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1]
  if (path === undefined) faults.push('SANDBOX_DATABASE_URL is not file: and the path of a file, nor none.')
  return path
}

function readPort(text: string | undefined, faults: string[]): number {
  if (!text) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  faults.push('SANDBOX_PORT is not a port number.')
  return DEFAULT_PORT
}

function readSites(text: string | undefined, faults: string[]): SandboxOptions['sites'] {
  if (!text) return undefined
  try {
    const parsed = SITES.safeParse(JSON.parse(text))
    if (parsed.success) return parsed.data
  } catch {
    // Text that is not JSON is reported like JSON of the wrong shape.
  }
  faults.push('UPSTREAM_SITES is not a JSON list of {"id", "appId", "secretKey", "currencies"}.')
  return undefined
}
