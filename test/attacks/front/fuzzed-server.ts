import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALL_SCOPES, type Scope } from '../../../src/access/caller.ts'
import { issueDevelopmentToken } from '../../../src/access/issue-token.ts'
import { Secret } from '../../../src/keys/key-ring.ts'
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts'
import { createCanaries, type Canaries } from '../../privacy/canaries.ts'
import { settingsFor, startReady, temporaryFolder, type Child } from '../../support/process.ts'
import { createServerMeter, type ServerMeter } from './server-meter.ts'

/** GraphQL requests that may be in flight at once: few, so that a small crowd is enough. */
export const IN_FLIGHT = 8
export const WEBHOOK_SECRET = 'webhook-secret-kanarie-0123456789'
export const ROUTER_SECRET = 'router-secret-kanarie-0123456789abcdef'
/** The only origin that browsers may call from. */
export const ALLOWED_ORIGIN = 'https://shop.example.test'

/** Names of the kinds of tokens; keys of a server's `tokens`. */
export const TOKEN_KINDS = ['all', 'reader', 'writer', 'payer', 'nothing', 'expired', 'foreign'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

export type FuzzedServer = {
  readonly url: string
  readonly meter: ServerMeter
  readonly tokens: Readonly<Record<TokenKind, string>>
  /** Values that must not appear in any answer or log line. */
  readonly canaries: Canaries
  /** Returns the output of all processes of this server. */
  output(): string
  /** Kills the process and starts another one with the same data. */
  restart(): Promise<void>
}

const METER = fileURLToPath(new URL('turn-meter.ts', import.meta.url))
const ISSUER = 'https://login.example.test/'
const AUDIENCE = 'payments'
const SECRETS = {
  jwt: 'jwt-secret-kanarie-0123456789abcdef0123',
  signing: 'signing-key-kanarie-0123456789abcdef01',
}

const SCOPES: Readonly<Record<Exclude<TokenKind, 'expired' | 'foreign'>, readonly Scope[]>> = {
  all: ALL_SCOPES,
  reader: ['payments:read', 'agreements:read', 'payouts:read'],
  writer: ['payments:write', 'agreements:write', 'payouts:write'],
  payer: [],
  nothing: [],
}

/** Starts the program as in production, with a meter loaded into it, and a sandbox in this process. */
export async function startFuzzedServer(onEnd: (end: () => void | Promise<void>) => void): Promise<FuzzedServer> {
  const sandbox = await startSandbox({ webhookSecret: WEBHOOK_SECRET })
  onEnd(() => sandbox.close())
  const env = productionSettings(sandbox, temporaryFolder(onEnd))
  const children: Child[] = []
  const start = async () => {
    const child = await startReady({ env, preload: [METER], channel: true }, onEnd)
    children.push(child)
    return { child, url: child.url, meter: createServerMeter(child.child) }
  }
  let current = await start()
  const tokens = await issueTokens()
  const canaries = createCanaries()
  const secrets = { ...SECRETS, webhook: WEBHOOK_SECRET, router: ROUTER_SECRET, ...tokens }
  for (const [name, secret] of Object.entries(secrets)) canaries.learn(name, secret)
  for (const { id, secretKey } of sandbox.sites) canaries.learn(`secretKey of ${id}`, secretKey)
  return {
    get url() {
      return current.url
    },
    get meter() {
      return current.meter
    },
    tokens,
    canaries,
    output: () => children.map((child) => child.output()).join(''),
    async restart() {
      current.child.child.kill('SIGKILL')
      await current.child.ended
      current = await start()
    },
  }
}

function productionSettings(sandbox: Sandbox, folder: string): Record<string, string> {
  return {
    ...settingsFor(sandbox, folder),
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://pay.example.test',
    WEBHOOK_SECRETS: WEBHOOK_SECRET,
    SIGNING_KEYS: SECRETS.signing,
    JWT_SECRET: SECRETS.jwt,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: AUDIENCE,
    ROUTER_SECRETS: ROUTER_SECRET,
    ALLOWED_ORIGINS: ALLOWED_ORIGIN,
    TRUST_PROXY: 'loopback',
    GRAPHQL_MAX_IN_FLIGHT: String(IN_FLIGHT),
    ADMIN_PORT: 'off',
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
  }
}

async function issueTokens(): Promise<Record<TokenKind, string>> {
  const issue = (scopes: readonly Scope[], subject: string, ttlSeconds = 86_400, secret = SECRETS.jwt) =>
    issueDevelopmentToken(new Secret(secret), { scopes, subject, ttlSeconds, issuer: ISSUER, audience: AUDIENCE })
  const valid = Object.entries(SCOPES).map(async ([kind, scopes]) => [kind, await issue(scopes, kind)] as const)
  return {
    ...(Object.fromEntries(await Promise.all(valid)) as Record<keyof typeof SCOPES, string>),
    expired: await issue(ALL_SCOPES, 'expired', -60),
    foreign: await issue(ALL_SCOPES, 'foreign', 86_400, 'another-secret-of-somebody-0123456789abcdef'),
  }
}
