#!/usr/bin/env node
import { portHolder } from 'payments-subgraph-lib/port-holder'
/** The command line of the sandbox. */
import { fetch } from 'undici'
import { readCommandLine } from './sandbox-command-line.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from './start.ts'

const CONTROLS = [
  'GET  /sandbox/state, /sandbox/webhooks, /sandbox/calls, /sandbox/faults, /sandbox/failures, /sandbox/changes',
  'POST /sandbox/clock {"advanceSeconds": 900}',
  'GET  /sandbox/banks',
  'POST /sandbox/links/<uuid>/status {"status": "received"}; also payins, gateway_payments, agreements, payouts',
  'POST /sandbox/links/<uuid>/deliveries {"kind": "duplicate" | "late" | "reordered" | "forged"}; also the others',
  'POST /sandbox/webhooks/<id>/resend {}',
  'POST /sandbox/faults {"path": "/v3/payin_links", "answer": "hang"}, DELETE /sandbox/faults',
  'POST /sandbox/reset {}',
]

const asked = readCommandLine(process.argv.slice(2), process.env)
if ('options' in asked) await (asked.isReset ? reset(asked.options) : run(asked.options))
else if ('faults' in asked) fail(asked.faults.join('\n'))
else if (asked.isWanted) process.stdout.write(asked.usage)
else fail(asked.usage.trimEnd(), 2)

async function run(options: SandboxOptions): Promise<void> {
  try {
    const sandbox = await startSandbox(options)
    const stop = (): void => void sandbox.close()
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    process.stdout.write(introduction(sandbox))
  } catch (error) {
    fail(`The sandbox cannot start: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port }: NodeJS.ErrnoException & { readonly port?: number } = error
  if (code !== 'EADDRINUSE' || port === undefined) return error.message
  const holder = portHolder(port)
  return `port ${port} is in use${holder === null ? '' : ` by ${holder.program} (process ${holder.pid})`}. Choose another with --port.`
}

/** Removes all data of the sandbox that runs at the address. */
async function reset({ host = '127.0.0.1', port }: SandboxOptions): Promise<void> {
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${origin}/sandbox/reset`, { method: 'POST', headers, body: '{}' })
    if (!response.ok) return fail(`The server at ${origin} is not a sandbox, or refused: HTTP ${response.status}.`)
    process.stdout.write(`The sandbox at ${origin} is empty.\n`)
  } catch {
    fail(
      `No sandbox answers at ${origin}. If it keeps its data in a file, the file can be deleted while it does not run.`,
    )
  }
}

function fail(message: string, code = 1): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = code
}

/** Prints secrets only when they are the fixed defaults of every sandbox. */
function introduction({ origin, url, control }: Sandbox): string {
  const hidden = 'as configured'
  const about = control.about()
  const sites = about.sites.map(
    ({ appId, secretKey, currencies }) =>
      `  ${currencies.join(', ')}  app-id ${appId}  secret-key ${secretKey ?? hidden}`,
  )
  return [
    `The sandbox listens at ${url}`,
    `Its page: ${origin}/`,
    'Credentials:',
    ...sites,
    `Webhook secret: ${about.webhookSecret ?? hidden}`,
    `Control endpoints at ${origin}, without credentials:`,
    ...CONTROLS.map((line) => `  ${line}`),
    '',
  ].join('\n')
}
