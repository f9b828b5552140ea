import { readEnvironment } from './environment.ts'
import { startSandbox } from './start.ts'
import type { Sandbox, SandboxOptions } from './start.ts'

const CONTROLS = [
  'GET  /sandbox/state, /sandbox/webhooks, /sandbox/failures, /sandbox/calls',
  'POST /sandbox/clock {"advanceSeconds": 900}',
  'GET  /sandbox/banks',
  'POST /sandbox/links/<uuid>/status {"status": "received"}; also payins, gateway_payments, agreements, payouts',
  'POST /sandbox/links/<uuid>/deliveries {"kind": "duplicate" | "late" | "reordered" | "forged"}; also the others',
  'POST /sandbox/faults {"path": "/v3/payin_links", "answer": "hang"}, DELETE /sandbox/faults',
]

const environment = readEnvironment(process.env)
if ('faults' in environment) fail(environment.faults.join('\n'))
else await run(environment.options)

async function run(options: SandboxOptions): Promise<void> {
  try {
    const sandbox = await startSandbox(options)
    const stop = (): void => void sandbox.close()
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    process.stdout.write(introduction(sandbox, options))
  } catch (error) {
    fail(`The sandbox cannot start: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

/** Secrets are printed only while they are the fixed ones that every sandbox has. */
function introduction(sandbox: Sandbox, options: SandboxOptions): string {
  const hidden = 'as configured'
  const sites = sandbox.sites.map(
    ({ appId, secretKey, currencies }) =>
      `  ${currencies.join(', ')}  app-id ${appId}  secret-key ${options.sites === undefined ? secretKey : hidden}`,
  )
  return [
    `The sandbox listens at ${sandbox.url}`,
    'Credentials:',
    ...sites,
    `Webhook secret: ${options.webhookSecret === undefined ? sandbox.webhookSecret : hidden}`,
    `Control endpoints at ${sandbox.origin}, without credentials:`,
    ...CONTROLS.map((line) => `  ${line}`),
    '',
  ].join('\n')
}
