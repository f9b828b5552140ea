import { describeFaults, parseConfig } from '../../src/config.ts'
import type { Config, ConfigFault, Environment } from '../../src/config.ts'

export const SITES = '[{"id":"au","appId":"app-au","secretKey":"sk-au","currencies":["AUD"]}]'

/** All settings that production requires. */
export const PRODUCTION: Environment = {
  NODE_ENV: 'production',
  UPSTREAM_ENVIRONMENT: 'sandbox',
  DATABASE_URL: 'postgres://payments:password@db.example.test/payments',
  UPSTREAM_URL: 'https://pay.example.test/api',
  UPSTREAM_SITES: SITES,
  WEBHOOK_SECRETS: 'webhook-secret-1',
  SIGNING_KEYS: 'signing-key-of-more-than-32-bytes-1',
  JWT_SECRETS: 'client-secret-of-more-than-32-bytes',
  JWT_ISSUER: 'https://id.example.test/',
  JWT_AUDIENCE: 'payments',
  ROUTER_SECRETS: 'router-secret-of-16-characters',
  PUBLIC_URL: 'https://shop.example.test',
}

/** Settings for a sandbox account at an external payments API. */
export const ACCOUNT: Environment = {
  UPSTREAM_URL: PRODUCTION['UPSTREAM_URL'],
  UPSTREAM_SITES: SITES,
  WEBHOOK_SECRETS: PRODUCTION['WEBHOOK_SECRETS'],
  SIGNING_KEYS: PRODUCTION['SIGNING_KEYS'],
  JWT_SECRETS: PRODUCTION['JWT_SECRETS'],
}

export const generate = (setting: string): string => `generated-for-${setting}-0123456789abcdef`

/** Returns the configuration of an environment. Throws if it is invalid. */
export function configOf(env: Environment): Config {
  const result = parseConfig(env, generate)
  if (!result.ok) throw new Error(describeFaults(result.faults))
  return result.config
}

/** Returns the faults of an environment. */
export function faultsOf(env: Environment): readonly ConfigFault[] {
  const result = parseConfig(env, generate)
  return result.ok ? [] : result.faults
}
