import { createApp, type AppConfig } from './app.ts'
import { describeFaults, parseConfig, type Config, type SiteConfig } from './config.ts'
import { loadDevelopmentKeys } from './dev-keys.ts'
import { Secret } from './keys/secret.ts'
import { createLogger, type Logger } from './log.ts'
import { startSandbox, type SandboxSite } from './sandbox/index.ts'
import { startMessage } from './start-message.ts'

/** How long a drain may take before the process ends anyway. */
const DRAIN_MS = 14_000

await main()

async function main(): Promise<void> {
  const parsed = parseConfig(process.env, loadDevelopmentKeys('./data'))
  if (!parsed.ok) {
    process.stderr.write(`The configuration cannot be used:\n${describeFaults(parsed.faults)}\n`)
    process.exitCode = 1
    return
  }
  const { config } = parsed
  const logger = createLogger({ level: config.logLevel })
  try {
    const { appConfig, stopSandbox } = await withService(config)
    const app = await createApp(appConfig, { logger, onFatal: () => process.exit(1) })
    stopOnSignals(logger, async () => {
      await app.close()
      await stopSandbox()
    })
    logger.info({ url: app.url, environment: config.upstream.environment }, 'ready')
    if (!config.production) process.stdout.write(await startMessage(appConfig, app.url))
  } catch (error) {
    logger.fatal({ err: error }, 'could not start')
    process.stderr.write(`${startFailure(error)}\n`)
    process.exit(1)
  }
}

/** Starts the built-in sandbox where no service is configured, and gives the configuration that speaks to it. */
async function withService(config: Config): Promise<{ appConfig: AppConfig; stopSandbox: () => Promise<void> }> {
  const { upstream } = config
  if (upstream.kind === 'service') return { appConfig: { ...config, upstream }, stopSandbox: async () => {} }
  const sandbox = await startSandbox({
    port: upstream.port,
    webhookSecret: config.webhooks.secrets[0].reveal(),
    ...(upstream.sites === null ? {} : { sites: upstream.sites.map(forSandbox) }),
  })
  const sites = sandbox.sites.map(({ id, appId, secretKey, currencies }) => ({
    id,
    appId,
    secretKey: new Secret(secretKey),
    currencies,
  }))
  return {
    appConfig: { ...config, upstream: { kind: 'service', url: sandbox.url, environment: 'sandbox', sites } },
    stopSandbox: () => sandbox.close(),
  }
}

function forSandbox({ id, appId, secretKey, currencies }: SiteConfig): SandboxSite {
  return { id, appId, secretKey: secretKey.reveal(), currencies: [...currencies] }
}

/** The first signal drains; a second one, or a drain that takes too long, ends the process at once. */
function stopOnSignals(logger: Logger, stop: () => Promise<void>): void {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    logger.info({ signal }, 'draining')
    setTimeout(() => process.exit(1), DRAIN_MS).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal({ err: error }, 'could not drain')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** What the operator is told about a start that failed: our own errors say which setting to look at. */
function startFailure(error: unknown): string {
  return error instanceof Error ? `Could not start: ${error.message}` : 'Could not start.'
}
