import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxSite } from 'payments-subgraph-sandbox'
import type { AppOptions } from './app-options.ts'
import { createApp } from './app.ts'
import { type AppConfig, describeFaults, hostNames, parseConfig, type Config } from './config.ts'
import type { SiteConfig } from './config/credentials.ts'
import { loadDevelopmentKeys } from './dev-keys.ts'
import { examine } from './doctor/checks.ts'
import { openFilesLimit } from './doctor/open-files.ts'
import { V1_CURRENCY } from './domain/payouts/payout-rules.ts'
import { MAX_CLOSING_MS } from './http/create-http.ts'
import { Secret } from './keys/key-ring.ts'
import { programVersion } from './lib/version.ts'
import { createLogger, type Logger } from './observability/logger.ts'
import { isExplained, openFilesFault, startFailure, startMessage } from './start-message.ts'
import { isEnding, markEnding } from './store/sqlite/files.ts'

/** How long a drain may take after its delay before the process ends anyway, in milliseconds. */
const DRAIN_MS = MAX_CLOSING_MS + 14_000

/**
 * How long a process that cannot continue still answers with errors, so that waiting requests learn that nothing was stored, in
 * milliseconds.
 */
const FAREWELL_MS = 500

/** Ctrl-C sends SIGINT to npm and to this process, and npm forwards its own: signals within this time count as one. */
const ONE_PRESS_MS = 1_000

/** Milliseconds between two attempts to listen on a port that an ending process still holds. */
const PORT_POLL_MS = 100

/** Returns after how many milliseconds from the first signal the process ends at the latest. */
export function mostEndMs({ shutdownDelayMs }: Pick<Config, 'shutdownDelayMs'>): number {
  return shutdownDelayMs + DRAIN_MS
}

/** Runs the subgraph until a signal ends it; ends the process with a message if it cannot start. */
export async function runServer(options: Pick<AppOptions, 'shop'> = {}): Promise<void> {
  const fault = openFilesFault(openFilesLimit())
  if (fault !== null) failStart(fault)
  const config = readConfig()
  const logger = createLogger({
    level: config.logLevel,
    isReadable: process.stdout.isTTY,
    base: { version: programVersion(), instance: hostname() },
  })
  endOnUncaught(logger)
  process.once('exit', logger.flush)
  try {
    const { appConfig, stopSandbox } = await withService(config, logger)
    const app = await createApp(appConfig, {
      ...options,
      logger,
      onFatal: () => void setTimeout(() => process.exit(1), FAREWELL_MS),
    })
    stopOnSignals(logger, mostEndMs(config), async () => {
      const { database } = config
      const removeMark = database.kind === 'sqlite' ? markEnding(database.path) : () => {}
      await app.close()
      await stopSandbox()
      removeMark()
    })
    process.on('SIGUSR2', () => void app.refetchTokenKeys())
    const { url, adminUrl, databaseVersion } = app
    const { environment, kind } = config.upstream
    const database = config.database.kind
    logger.info({ url, ...(adminUrl === null ? {} : { adminUrl }), environment, database, databaseVersion }, 'ready')
    const builtInSandbox = kind === 'built-in-sandbox'
    if (kind === 'service') void warn(appConfig, logger)
    if (!config.production) process.stdout.write(await startMessage(appConfig, { url, builtInSandbox }))
  } catch (error) {
    logger.fatal(isExplained(error, config) ? {} : { err: error }, 'could not start')
    failStart(startFailure(error, config))
  }
}

/** Warns of what `doctor` finds; the start does not wait for it. */
async function warn(config: AppConfig, logger: Logger): Promise<void> {
  for (const { check, problem } of await examine(config)) logger.warn({ kind: check.replace(' ', '-') }, problem)
}

/** Returns the configuration; ends the process if it is invalid. */
function readConfig(): Config {
  try {
    const parsed = parseConfig(process.env, loadDevelopmentKeys('./data'))
    if (parsed.ok) return parsed.config
    return failStart(`The configuration cannot be used:\n${describeFaults(parsed.faults)}`)
  } catch (error) {
    return failStart(startFailure(error, null))
  }
}

/** Ends the process explicitly: resources that are already open, such as the sandbox, would keep it alive. */
function failStart(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Starts the built-in sandbox if no payments API is configured, and returns the configuration that uses it. */
async function withService(
  config: Config,
  logger: Logger,
): Promise<{ appConfig: AppConfig; stopSandbox: () => Promise<void> }> {
  const { upstream } = config
  if (upstream.kind === 'service') return { appConfig: { ...config, upstream }, stopSandbox: async () => {} }
  // The sandbox is not loaded if a payments API is configured.
  const { startSandbox } = await import('payments-subgraph-sandbox')
  const options = {
    port: upstream.port,
    allowedHosts: hostNames(config),
    webhookSecret: config.webhooks.secrets[0].reveal(),
    ...(upstream.statePath === null ? {} : { statePath: upstream.statePath }),
    ...(upstream.sites === null ? {} : { sites: upstream.sites.map(forSandbox) }),
  }
  const sandbox = await oncePortIsFree(() => startSandbox(options), config, logger)
  const sites = sandbox.sites.map(({ id, appId, secretKey, currencies }) => ({
    id,
    appId,
    secretKey: new Secret(secretKey),
    currencies,
    // The emulator has all that is documented.
    v1Payouts: upstream.sites?.find((one) => one.id === id)?.v1Payouts ?? currencies.includes(V1_CURRENCY),
  }))
  return {
    appConfig: { ...config, upstream: { kind: 'service', url: sandbox.url, environment: 'sandbox', sites } },
    stopSandbox: () => sandbox.close(),
  }
}

/** Starts a server; tries again while its port may be held by an ending process on the same database. */
async function oncePortIsFree<Server>(
  start: () => Promise<Server>,
  { database }: Config,
  logger: Logger,
): Promise<Server> {
  for (let waits = 0; ; waits += 1) {
    const isReleasedSoon = database.kind === 'sqlite' && isEnding(database.path)
    try {
      return await start()
    } catch (error) {
      if (!isReleasedSoon || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
    if (waits === 0) logger.info({}, 'the port of the sandbox is in use by a process that is ending: waiting for it')
    await sleep(PORT_POLL_MS)
  }
}

function forSandbox({ id, appId, secretKey, currencies }: SiteConfig): SandboxSite {
  return { id, appId, secretKey: secretKey.reveal(), currencies: [...currencies] }
}

/**
 * After an uncaught error the state is unknown: the process ends at once, and acknowledged data is on disk. Node raises unhandled
 * rejections here as well. Without this handler, Node would print the error's message, which may contain data.
 */
function endOnUncaught(logger: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    logger.fatal({ err: error, reason: origin }, 'uncaught error: the process exits')
    process.exit(1)
  })
}

/** The first signal starts a drain; a second one, or a drain that takes too long, ends the process at once. */
function stopOnSignals(logger: Logger, milliseconds: number, stop: () => Promise<void>): void {
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | null = null
  const onSignal = (signal: NodeJS.Signals) => {
    if (first !== null) {
      const isSamePress = first.signal === 'SIGINT' && signal === 'SIGINT'
      if (isSamePress && performance.now() - first.at < ONE_PRESS_MS) return
      process.exit(1)
    }
    first = { signal, at: performance.now() }
    setTimeout(() => process.exit(1), milliseconds).unref()
    const stopped = stop()
    // The database is marked by now: a supervisor that sees this line may start the next process.
    logger.info({ signal }, 'draining')
    stopped.then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal({ err: error }, 'the shutdown failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
