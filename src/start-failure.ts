import type { Config } from './config.ts'

/** Fewer cannot serve: each connection takes one, and so does each file of the database. */
const FEWEST_OPEN_FILES = 256

/** What is wrong with the limit of open files that the system gives this process; null when nothing is, or none is known. */
export function openFilesFault(limit: unknown): string | null {
  if (typeof limit !== 'number' || limit >= FEWEST_OPEN_FILES) return null
  return `The limit of open files (ulimit -n) is ${limit}: at least ${FEWEST_OPEN_FILES} are needed, and one more for each connection.`
}

/**
 * What the operator is told about a start that failed: which setting to look at, and never its value. Our own errors say
 * so themselves; those of a socket that could not listen name a number instead.
 */
export function startFailure(error: unknown, config: Config | null): string {
  if (!(error instanceof Error)) return 'Could not start.'
  const fault = listenFault(error, config)
  return `Could not start: ${fault ?? error.message}`
}

function listenFault(error: Error, config: Config | null): string | null {
  const { code, syscall, port, address, hostname }: ListenError = error
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return null
  if (code === 'EADDRINUSE') return `${portSetting(port, config)} names a port that is in use.`
  if (code === 'EACCES') return `${portSetting(port, config)} names a port that this user may not listen on.`
  return `${hostSetting(address ?? hostname, config)} names nothing that this machine can listen on (${code ?? 'unknown'}).`
}

type ListenError = NodeJS.ErrnoException & { port?: unknown; address?: unknown; hostname?: unknown }

/** Clients' port is opened first: where both have one host, it is the first that fails. */
function hostSetting(host: unknown, config: Config | null): 'HOST' | 'ADMIN_HOST' {
  const admin = config?.monitoring.admin
  return admin?.host === host && config?.http.host !== host ? 'ADMIN_HOST' : 'HOST'
}

function portSetting(port: unknown, config: Config | null): 'PORT' | 'SANDBOX_PORT' | 'ADMIN_PORT' {
  if (config?.monitoring.admin?.port === port) return 'ADMIN_PORT'
  return config?.upstream.kind === 'built-in-sandbox' && config.upstream.port === port ? 'SANDBOX_PORT' : 'PORT'
}
