import { readCommandLine } from './sandbox-command-line.ts'
import { startSandbox } from './start.ts'
import type { Sandbox, SandboxOptions } from './start.ts'

const CONTROLS = [
  'GET  /sandbox/state, /sandbox/webhooks, /sandbox/calls, /sandbox/faults, /sandbox/failures, /sandbox/changes',
  'POST /sandbox/clock {"advanceSeconds": 900}',
  'GET  /sandbox/banks',
  'POST /sandbox/links/<uuid>/status {"status": "received"}; also payins, gateway_payments, agreements, payouts',
  'POST /sandbox/links/<uuid>/deliveries {"kind": "duplicate" | "late" | "reordered" | "forged"}; also the others',
  'POST /sandbox/webhooks/<id>/resend {}',
  'POST /sandbox/faults {"path": "/v3/payin_links", "answer": "hang"}, DELETE /sandbox/faults',
]

const asked = readCommandLine(process.argv.slice(2), process.env)
if ('options' in asked) await run(asked.options)
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
    fail(`The sandbox cannot start: ${error instanceof Error ? error.message : String(error)}`)
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
