import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { issueDevelopmentToken } from '../../src/access/issue-token.ts'
import { ALL_SCOPES, type Scope } from '../../src/access/scopes.ts'
import { createApp, type App, type AppOptions } from '../../src/app.ts'
import { Secret } from '../../src/keys/secret.ts'
import type { Timer } from '../../src/lib/timer.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts'
import { configFor, PRODUCTION, SECRETS, settingsFor } from './app-settings.ts'
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
  /** A client token signed as the app expects it. */
  token(options?: { scopes?: readonly Scope[]; subject?: string | null; ttlSeconds?: number }): Promise<string>
  /** One operation over HTTP, with every scope unless told otherwise; `token: null` sends none. */
  ask<Data = Record<string, unknown>>(
    query: string,
    variables?: Record<string, unknown>,
    options?: AskOptions,
  ): Promise<Answer<Data>>
  /** One subscription through the official graphql-ws client. */
  follow(query: string, variables?: Record<string, unknown>, options?: StreamOptions): Promise<Stream>
  /** Drains and stops the app, once. */
  stop(): Promise<void>
  /** Stops the app and starts it again on the same data and the same port, with settings that replace the ones so far. */
  restart(whileStopped?: () => void, env?: Readonly<Record<string, string>>): Promise<void>
  /** Everything that the app has logged. */
  log(): string
  close(): Promise<void>
}

export type AskOptions = {
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Hangs up before the answer. */
  readonly signal?: AbortSignal
}

export type NetworkOptions = {
  /** The app's clock. The sandbox has its own. */
  readonly clock?: () => Date
  /** By which the app paces its reads of the payments API. */
  readonly timer?: Timer
  readonly sandbox?: SandboxOptions
  /** Settings that replace the ones of the tests. */
  readonly env?: Readonly<Record<string, string>>
  /** Instead of the sandbox's address: for a service that is not there, or one of the test's own. */
  readonly upstreamUrl?: string
  /** Without it no breaker opens: what one test does to the payments API must not turn away the next one. */
  readonly breaker?: AppOptions['breaker']
  /** Where the usual limits take too long. */
  readonly limits?: AppOptions['limits']
}

/** The sandbox and the app, in this process, over real HTTP on free ports and with a real database file. */
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
  const { limits = {} } = options
  const start = (port: string, env = options.env) => {
    const config = configFor(settingsFor({ folder, port, sandbox, options: { ...options, ...(env && { env }) } }))
    return createApp(config, { logger, clock, breaker, limits, ...timing })
  }
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

/** A client token signed as an app of the tests expects it. */
const token: Network['token'] = ({ scopes = ALL_SCOPES, subject = 'tester', ttlSeconds = 86_400 } = {}) =>
  issueDevelopmentToken(new Secret(SECRETS.jwt), { scopes, subject, ttlSeconds })

/** Operations over HTTP at an app of the tests, wherever it runs. */
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
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
      ...(signal === undefined ? {} : { signal }),
    })
    return { status: response.status, ...((await response.json()) as { data: Data }) }
  }
}
