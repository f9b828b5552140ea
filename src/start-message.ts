import { dirname } from 'node:path'
import { portHolder } from 'payments-subgraph-lib/port-holder'
import { ALL_SCOPES } from './access/caller.ts'
import { issueDevelopmentToken } from './access/issue-token.ts'
import { type AppConfig, type Config, emulatorOrigin } from './config.ts'
import { isBuilt } from './http/pages/pages.ts'
import { StoreUnusableError } from './store/store-errors.ts'

type StartMessageOptions = { readonly url: string; readonly builtInSandbox: boolean; readonly pages?: string }

const TOKEN_TTL_S = 7 * 24 * 3_600

/**
 * Returns the URLs and keys that a developer sees after `npm start`. Not for production. A token is included with the built-in
 * sandbox only: anywhere else it would give access to a real account. `pages` is the folder of the pages; default: where the
 * build puts them.
 */
export async function startMessage(
  config: AppConfig,
  { url, builtInSandbox, pages }: StartMessageOptions,
): Promise<string> {
  const sandbox = emulatorOrigin(config)
  const lines = [
    '',
    'payments-subgraph is ready',
    `  GraphQL          ${url}/graphql`,
    ...(isBuilt('explorer', pages) ? [`  Explorer         the same, in a browser`] : []),
    `  Subscriptions    ${url.replace(/^http/, 'ws')}/graphql  (graphql-transport-ws)`,
    `  Console          ${url}/console  (sign in with a token)`,
    ...(sandbox !== null && isBuilt('shop', pages) ? [`  Shop             ${url}/shop`] : []),
    ...(sandbox === null ? [] : [`  Sandbox          ${sandbox}/sandbox`]),
    `  Webhooks         ${config.http.publicUrl.endsWith(':0') ? url : config.http.publicUrl}/webhooks/payments`,
    `  Health, metrics  ${url}/health/ready  ${url}/metrics`,
    `  Payments API     ${config.upstream.url}`,
    `  Data             ${config.database.kind === 'sqlite' ? config.database.path : config.database.place}`,
    ...(config.generated.length > 0 ? [`  Generated keys   ${config.generated.join(', ')}  (development only)`] : []),
    ...(builtInSandbox ? await tokenLines(config) : []),
    ...(isBuilt('console', pages) ? [] : ['', 'The pages are not built yet: run `npm run build:web`.']),
    '',
  ]
  return `${lines.join('\n')}\n`
}

async function tokenLines({ clients }: AppConfig): Promise<string[]> {
  if (clients.kind !== 'secret') return []
  const token = await issueDevelopmentToken(clients.secrets[0], {
    ...clients,
    scopes: ALL_SCOPES,
    subject: 'developer',
    ttlSeconds: TOKEN_TTL_S,
  })
  return ['', 'A development token with every scope, valid for a week:', `  authorization: Bearer ${token}`]
}

/** With fewer the process cannot serve: each connection and each file of the database takes one. */
const FEWEST_OPEN_FILES = 256

/** Returns what is wrong with the system's limit of open files; null if it is sufficient or unknown. */
export function openFilesFault(limit: unknown): string | null {
  if (typeof limit !== 'number' || limit >= FEWEST_OPEN_FILES) return null
  return `The limit of open files (ulimit -n) is ${limit}: at least ${FEWEST_OPEN_FILES} are needed, and one more for each connection.`
}

/**
 * Returns the message for the operator about a failed start: it names the setting to check, never its value. Our own errors have
 * such messages; the error of a socket that could not listen has only a port number.
 */
export function startFailure(error: unknown, config: Config | null): string {
  if (!(error instanceof Error)) return 'Could not start.'
  const fault = listenFault(error, config) ?? stateFault(error, config)
  return `Could not start: ${fault ?? error.message}`
}

type StateError = Error & { readonly statePath?: unknown }

/** Returns what is wrong with the file of the built-in sandbox, which lies beside the database unless it has a setting of its own. */
function stateFault(error: StateError, config: Config | null): string | null {
  const { statePath, cause, message } = error
  if (typeof statePath !== 'string') return null
  const code = cause instanceof Error && 'syscall' in cause && 'code' in cause ? String(cause.code) : null
  if (code === null || config === null) return message
  const { database } = config
  const isBeside = database.kind === 'sqlite' && dirname(database.path) === dirname(statePath)
  const [setting, path] = isBeside ? ['DATABASE_URL', database.path] : ['SANDBOX_DATABASE_URL', statePath]
  return `${setting} names ${path}, where no file can be written (${code}).`
}

function listenFault(error: Error, config: Config | null): string | null {
  const { code, syscall, port, address, hostname }: ListenError = error
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return null
  if (code === 'EADDRINUSE')
    return `${portSetting(port, config)} names a port that is already in use: ${inUse(Number(port))}.`
  if (code === 'EACCES') return `${portSetting(port, config)} names a port that this user may not listen on.`
  return `${hostSetting(address ?? hostname, config)} names no address of this machine (${code ?? 'unknown'}).`
}

function inUse(port: number): string {
  const holder = portHolder(port)
  return holder === null ? String(port) : `${port}, by ${holder.program} (process ${holder.pid})`
}

/** Whether a failed start is explained by its message: then where in the program it happened says nothing more. */
export function isExplained(error: unknown, config: Config | null): boolean {
  if (!(error instanceof Error)) return false
  return error instanceof StoreUnusableError || (listenFault(error, config) ?? stateFault(error, config)) !== null
}

type ListenError = NodeJS.ErrnoException & { port?: unknown; address?: unknown; hostname?: unknown }

/** The clients' port is opened first: if both servers have the same host, that one fails first. */
function hostSetting(host: unknown, config: Config | null): 'HOST' | 'ADMIN_HOST' {
  const admin = config?.monitoring.admin
  return admin?.host === host && config?.http.host !== host ? 'ADMIN_HOST' : 'HOST'
}

function portSetting(port: unknown, config: Config | null): 'PORT' | 'SANDBOX_PORT' | 'ADMIN_PORT' {
  if (config?.monitoring.admin?.port === port) return 'ADMIN_PORT'
  return config?.upstream.kind === 'built-in-sandbox' && config.upstream.port === port ? 'SANDBOX_PORT' : 'PORT'
}
