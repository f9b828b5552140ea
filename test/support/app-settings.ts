import { join } from 'node:path'
import type { Sandbox } from 'payments-subgraph-sandbox'
import { type AppConfig, readAppConfig } from '../../src/config.ts'

/** The keys of every network that does not replace them. */
export const SECRETS = {
  jwt: 'client-token-secret-of-the-tests-0123456789',
  signing: 'signing-key-of-the-tests-0123456789abcdef',
  webhook: 'webhook-secret-of-the-tests',
}

/** Settings that production requires besides the keys. They restrict nothing, unless a test replaces them. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  UPSTREAM_ENVIRONMENT: 'sandbox',
  PUBLIC_URL: 'http://127.0.0.1:4999',
  ROUTER_SECRETS: 'none',
  JWT_ISSUER: 'any',
  JWT_AUDIENCE: 'any',
  ADMIN_PORT: 'off',
  SHUTDOWN_DELAY_MS: '0',
}

type SettingParts = {
  readonly folder: string
  readonly port: string
  readonly sandbox: Pick<Sandbox, 'url' | 'sites'>
  readonly options: { readonly upstreamUrl?: string; readonly env?: Readonly<Record<string, string>> }
}

/** Returns the settings of an app for tests. */
export function settingsFor({ folder, port, sandbox, options }: SettingParts): Record<string, string> {
  return {
    PORT: port,
    UPSTREAM_URL: options.upstreamUrl ?? sandbox.url,
    UPSTREAM_SITES: JSON.stringify(sandbox.sites),
    WEBHOOK_SECRETS: SECRETS.webhook,
    SIGNING_KEYS: SECRETS.signing,
    JWT_SECRETS: SECRETS.jwt,
    // Code that one test has compiled is compiled for all tests of the process.
    WARM_UP_MS: '0',
    // All clients of the tests have the same address.
    MAX_FAILED_AUTHENTICATIONS: '1000000',
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
    ...options.env,
  }
}

/** Returns the configuration of these settings. Throws if they are invalid. */
export const configFor: (settings: Readonly<Record<string, string>>) => AppConfig = readAppConfig
