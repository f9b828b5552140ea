import { parseArgs } from 'node:util'
import { readEnvironment } from './environment.ts'
import type { SandboxOptions } from './start.ts'

const USAGE = `Usage: payments-subgraph sandbox [--port <number>] [--host <address>] [--allowed-host <name>]… [--reset]

  --port          where to listen; default: SANDBOX_PORT, or 4010; 0 for any free port
  --host          at which address; default: HOST, or 127.0.0.1
  --allowed-host  another name under which browsers may reach its page and its control endpoints
  --reset         removes all data of the sandbox that runs there, and ends

SANDBOX_DATABASE_URL, such as file:./data/sandbox.db, keeps the data over a restart.
UPSTREAM_SITES and WEBHOOK_SECRETS replace the fixed credentials.
`

export type CommandLine =
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
