import { parseArgs } from 'node:util'
import { ALL_SCOPES, isScope, type Scope } from './access/caller.ts'
import { issueDevelopmentToken } from './access/issue-token.ts'
import { describeFaults, parseConfig, type ClientsConfig } from './config.ts'
import { loadDevelopmentKeys } from './dev-keys.ts'

const USAGE = `Usage: payments-subgraph token "<scopes>" [subject] [--ttl <seconds>]

Prints a client token for development, signed with JWT_SECRETS, or with the development key where that is unset.
Scopes: ${ALL_SCOPES.join(' ')}`

const MAX_TTL_SECONDS = 30 * 24 * 3600

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { ttl: { type: 'string', default: '3600' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help === true) {
    process.stdout.write(`${USAGE}\n`)
    process.exit()
  }
  const [scopes, subject, ...rest] = positionals
  if (scopes === undefined || rest.length > 0) throw new Error(USAGE)
  const clients = clientsOf(process.env)
  if (clients.kind === 'jwks')
    throw new Error('JWT_JWKS_URL is set: tokens come from its issuer, and none can be made here.')
  const token = await issueDevelopmentToken(clients.secrets[0], {
    ...clients,
    scopes: scopesIn(scopes),
    subject: subject ?? null,
    ttlSeconds: secondsIn(values.ttl),
  })
  process.stdout.write(`${token}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'The token could not be made.'}\n`)
  process.exitCode = 1
}

function clientsOf(env: NodeJS.ProcessEnv): ClientsConfig {
  const result = parseConfig(env, loadDevelopmentKeys('./data'))
  if (!result.ok) throw new Error(describeFaults(result.faults))
  return result.config.clients
}

function scopesIn(text: string): Scope[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (isScope(word)) return word
      throw new Error(`There is no scope "${word}". Scopes: ${ALL_SCOPES.join(' ')}`)
    })
}

function secondsIn(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > MAX_TTL_SECONDS)
    throw new Error(`--ttl must be a whole number of seconds from 1 to ${MAX_TTL_SECONDS}.`)
  return seconds
}
