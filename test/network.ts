import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { issueDevelopmentToken } from '../src/access/issue-token.ts'
import { ALL_SCOPES, type Scope } from '../src/access/scopes.ts'
import { createApp, type App, type AppConfig } from '../src/app.ts'
import { parseConfig } from '../src/config.ts'
import { Secret } from '../src/keys/secret.ts'
import { createLogger } from '../src/log.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from '../src/sandbox/index.ts'
import { openStream, type Stream, type StreamOptions } from './stream.ts'

/** The keys of every network that does not replace them. */
export const SECRETS = {
  jwt: 'client-token-secret-of-the-tests-0123456789',
  signing: 'signing-key-of-the-tests-0123456789abcdef',
  webhook: 'webhook-secret-of-the-tests',
}

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
  /** Stops the app and starts it again on the same data and the same port. */
  restart(whileStopped?: () => void): Promise<void>
  /** Everything that the app has logged. */
  log(): string
  close(): Promise<void>
}

export type AskOptions = { readonly token?: string | null; readonly headers?: Readonly<Record<string, string>> }

export type NetworkOptions = {
  /** The app's clock. The sandbox has its own. */
  readonly clock?: () => Date
  readonly sandbox?: SandboxOptions
  /** Settings that replace the ones of the tests. */
  readonly env?: Readonly<Record<string, string>>
  /** Instead of the sandbox's address: for a service that is not there, or one of the test's own. */
  readonly upstreamUrl?: string
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
  const start = (port: string) => createApp(configFor({ folder, port, sandbox, options }), { logger, clock })
  let app = await start('0')
  let stopped: Promise<void> | null = null
  const stop = () => (stopped ??= app.close())

  const token: Network['token'] = ({ scopes = ALL_SCOPES, subject = 'tester', ttlSeconds = 600 } = {}) =>
    issueDevelopmentToken(new Secret(SECRETS.jwt), { scopes, subject, ttlSeconds })

  return {
    get app() {
      return app
    },
    sandbox,
    folder,
    token,
    async ask<Data>(
      query: string,
      variables: Record<string, unknown> = {},
      { token: given, headers = {} }: AskOptions = {},
    ): Promise<Answer<Data>> {
      const bearer = given === undefined ? await token() : given
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...headers,
        },
        body: JSON.stringify({ query, variables }),
      })
      return { status: response.status, ...((await response.json()) as { data: Data }) }
    },
    follow: async (query, variables = {}, streamOptions = {}) =>
      openStream(app.url, { query, variables }, { token: await token(), ...streamOptions }),
    stop,
    async restart(whileStopped) {
      const { port } = new URL(app.url)
      await stop()
      whileStopped?.()
      app = await start(port)
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

function configFor({ folder, port, sandbox, options }: ConfigParts): AppConfig {
  const parsed = parseConfig({
    PORT: port,
    UPSTREAM_URL: options.upstreamUrl ?? sandbox.url,
    UPSTREAM_SITES: JSON.stringify(sandbox.sites),
    WEBHOOK_SECRETS: SECRETS.webhook,
    SIGNING_KEYS: SECRETS.signing,
    JWT_SECRET: SECRETS.jwt,
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
    ...options.env,
  })
  if (!parsed.ok) throw new Error(parsed.faults.map(({ setting, message }) => `${setting} ${message}`).join('\n'))
  const { upstream } = parsed.config
  if (upstream.kind !== 'service') throw new Error('The tests name their service.')
  return { ...parsed.config, upstream }
}

type ConfigParts = { folder: string; port: string; sandbox: Sandbox; options: NetworkOptions }
