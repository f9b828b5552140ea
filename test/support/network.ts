import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { startSandbox, type Sandbox, type SandboxOptions } from 'payments-subgraph-sandbox'
import { createShop } from '../../examples/shop/server/shop.ts'
import { ALL_SCOPES, type Scope } from '../../src/access/caller.ts'
import { issueDevelopmentToken } from '../../src/access/issue-token.ts'
import type { App, AppOptions } from '../../src/app-options.ts'
import { createApp } from '../../src/app.ts'
import { Secret } from '../../src/keys/key-ring.ts'
import type { Timer } from '../../src/lib/timers.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { configFor, PRODUCTION, SECRETS, settingsFor } from './app-settings.ts'
import { createMigrated } from './migrated-database.ts'
import { openStream, type Stream, type StreamOptions } from './stream.ts'

export { PRODUCTION, SECRETS }

export type Answer<Data> = {
  readonly status: number
  readonly data: Data
  readonly errors?: readonly { message: string; extensions?: Record<string, unknown>; path?: unknown[] }[]
}

export type Network = {
  readonly app: App
  readonly sandbox: Sandbox
  readonly folder: string
  /** Creates a client token that the app accepts. */
  token(options?: { scopes?: readonly Scope[]; subject?: string | null; ttlSeconds?: number }): Promise<string>
  /** Sends one operation over HTTP, by default with every scope; `token: null` sends no token. */
  ask<Data = Record<string, unknown>>(
    query: string,
    variables?: Record<string, unknown>,
    options?: AskOptions,
  ): Promise<Answer<Data>>
  /** Opens one subscription with the official graphql-ws client. */
  follow(query: string, variables?: Record<string, unknown>, options?: StreamOptions): Promise<Stream>
  /** Drains and stops the app. Further calls have no effect. */
  stop(): Promise<void>
  /** Stops the app and starts it again on the same data and the same port; `env` replaces settings. */
  restart(whileStopped?: () => void, env?: Readonly<Record<string, string>>): Promise<void>
  /** Returns the whole log of the app. */
  log(): string
  close(): Promise<void>
}

export type AskOptions = {
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Aborts the request before the answer. */
  readonly signal?: AbortSignal
}

export type NetworkOptions = {
  /** The app's clock. The sandbox has a separate one. */
  readonly clock?: () => Date
  /** The timer that paces the app's reads of the payments API. */
  readonly timer?: Timer
  readonly sandbox?: SandboxOptions
  /** Settings that replace those of the tests. */
  readonly env?: Readonly<Record<string, string>>
  /** Replaces the sandbox's URL: for a payments API that does not answer, or for a test's own one. */
  readonly upstreamUrl?: string
  /** By default no breaker opens, because failed calls of one test must not cause refusals in the next test. */
  readonly breaker?: AppOptions['breaker']
  /** Replaces limits that would make a test too slow. */
  readonly limits?: AppOptions['limits']
  /** What the app is extended by. */
  readonly extensions?: Pick<AppOptions, 'verifyToken' | 'extension' | 'plugins'>
  /** Replaces how often the log is polled for events of other nodes. */
  readonly tail?: AppOptions['tail']
}

/** Starts the sandbox and the app in this process, with real HTTP on free ports and a real database file. */
export async function startNetwork(options: NetworkOptions = {}): Promise<Network> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-'))
  const sandbox = await startSandbox({ webhookSecret: SECRETS.webhook, paceMs: 1, ...options.sandbox })
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const logger = createLogger({ level: 'debug', destination })
  const clock = options.clock ?? (() => new Date())
  const breaker = options.breaker ?? { least: Infinity }
  const timing = options.timer === undefined ? {} : { timer: options.timer }
  const { limits = {}, tail = {} } = options
  const start = (port: string, env = options.env) => {
    const config = configFor(settingsFor({ folder, port, sandbox, options: { ...options, ...(env && { env }) } }))
    return createApp(config, {
      logger,
      clock,
      breaker,
      limits,
      tail,
      shop: createShop,
      ...timing,
      ...options.extensions,
    })
  }
  if (options.env?.['DATABASE_URL'] === undefined) createMigrated(join(folder, 'payments.db'))
  let app = await start('0')
  let stopped: Promise<void> | null = null
  const stop = () => (stopped ??= app.close())

  return {
    get app() {
      return app
    },
    sandbox,
    folder,
    token,
    ask: askAt(() => app.url),
    follow: async (query, variables = {}, streamOptions = {}) =>
      openStream(app.url, { query, variables }, { token: await token(), ...streamOptions }),
    stop,
    async restart(whileStopped, env = {}) {
      const { port } = new URL(app.url)
      await stop()
      whileStopped?.()
      app = await start(port, { ...options.env, ...env })
      stopped = null
    },
    log: () => lines.join(''),
    async close() {
      await stop()
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a client token that the apps of the tests accept. */
export const token: Network['token'] = ({ scopes = ALL_SCOPES, subject = 'tester', ttlSeconds = 7 * 86_400 } = {}) =>
  issueDevelopmentToken(new Secret(SECRETS.jwt), { scopes, subject, ttlSeconds })

/** Returns a function that sends operations over HTTP to an app of the tests, in any process. */
export function askAt(url: () => string): Network['ask'] {
  return async <Data>(
    query: string,
    variables: Record<string, unknown> = {},
    { token: given, headers = {}, signal }: AskOptions = {},
  ): Promise<Answer<Data>> => {
    const bearer = given === undefined ? await token() : given
    const response = await fetch(`${url()}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json',
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
      ...(signal === undefined ? {} : { signal }),
    })
    return { status: response.status, ...((await response.json()) as { data: Data }) }
  }
}
