import { Secret } from '../keys/key-ring.ts'
import { bad, good, type Parsed, parseLine } from './parsers.ts'

/** The database: a file for one process, or a server for any number of processes. */
export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly path: string }
  /** `url` contains the password. `place` may be shown: host, port and database. */
  | { readonly kind: 'postgres'; readonly url: Secret; readonly place: string }

const ESCAPES = 'in user and password, characters such as @ : / ? # are written as %40 %3A %2F %3F %23'
const POSTGRES_FORM = 'postgres://user:password@host:5432/database'

/**
 * What a pooler between this process and PostgreSQL preserves of a session. `session`: everything. `transaction`: nothing, since
 * each transaction may run in another session, which other clients have used before. `transaction-prepared`: only prepared
 * statements, which the pooler itself tracks.
 */
export const POOLERS = ['session', 'transaction', 'transaction-prepared'] as const
export type Pooler = (typeof POOLERS)[number]

/** Allowed URL parameters: encryption of the connection, the folder of a local socket, and the pooler. */
const PARAMETERS = new Set(['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'pooler'])
const VALUES: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'require', 'verify-full', 'no-verify'],
  pooler: POOLERS,
}

/** Parses the database URL: `file:` and a path, or the URL of a PostgreSQL server. */
export function parseDatabase(text: string): Parsed<DatabaseConfig> {
  return /^postgres(?:ql)?:/i.test(text) ? parsePostgres(text) : parseFile(text)
}

function parseFile(text: string): Parsed<DatabaseConfig> {
  const path = parseFilePath(text, `, or ${POSTGRES_FORM}`)
  return path.ok ? good({ kind: 'sqlite', path: path.value }) : path
}

/** Parses `file:` and the path of a file. `otherwise` completes the message of what else may be given. */
export function parseFilePath(text: string, otherwise = ''): Parsed<string> {
  const line = parseLine(text)
  if (!line.ok) return line
  const path = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1]
  if (path === undefined || path.startsWith('//') || path.endsWith('/')) {
    return bad(`must be file: and the path of a file, such as file:./data/payments.db${otherwise}`)
  }
  return path === ':memory:'
    ? bad('must name a file: what is only in memory is lost when the process ends')
    : good(path)
}

function parsePostgres(text: string): Parsed<DatabaseConfig> {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  if (url === null || !text.includes('://')) return bad(`must be ${POSTGRES_FORM}; ${ESCAPES}`)
  const message = problemOfPostgres(url)
  if (message !== null) return bad(message)
  const host = url.searchParams.get('host') ?? url.host
  return good({ kind: 'postgres', url: new Secret(text), place: `${host}${url.pathname}` })
}

function problemOfPostgres({ username, password, hostname, pathname, hash, searchParams }: URL): string | null {
  if (hash !== '') return 'must not contain #: in user and password it is written as %23'
  if ([username, password, pathname].map(decoded).includes(null))
    return 'must have a % in user and password written as %25'
  if (username === '') return `must name the user: ${POSTGRES_FORM}`
  if (hostname.includes(',')) return 'must name one host'
  if (!/^\/[^/]+$/.test(pathname)) return `must name the database: ${POSTGRES_FORM}`
  if ([...searchParams.keys()].some((name) => !PARAMETERS.has(name)))
    return `has a parameter that is not known: there are ${[...PARAMETERS].join(', ')}`
  const wrong = Object.entries(VALUES).find(([name, values]) => {
    const value = searchParams.get(name)
    return value !== null && !values.includes(value)
  })
  return wrong === undefined ? null : `must have as its ${wrong[0]} one of ${wrong[1].join(', ')}`
}

/** A Redis or Valkey server, or one node of a cluster. */
export type RedisConfig = {
  readonly host: string
  readonly port: number
  /** Whether the connection is encrypted. The certificate is always verified. */
  readonly tls: boolean
  readonly username: string | null
  readonly password: Secret | null
  /** Number of the database; 0 on a cluster. */
  readonly database: number
  /** Whether the server is a node of a cluster: the others are found through it. */
  readonly cluster: boolean
}

const REDIS_FORM = 'redis://user:password@host:6379/0, or rediss:// for TLS'
const PORT = 6379
const CLUSTER = 'cluster'

/** Parses the URL of a Redis server. Messages contain nothing of it. */
export function parseRedis(text: string): Parsed<RedisConfig> {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  if (url === null || !/^rediss?:\/\//i.test(text) || url.hostname === '')
    return bad(`must be ${REDIS_FORM}; ${ESCAPES}`)
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (username === null || password === null) return bad('must have a % in user and password written as %25')
  const cluster = url.searchParams.get(CLUSTER) ?? 'false'
  const message = problemOfRedis(url, cluster)
  if (message !== null) return bad(message)
  return good({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? PORT : Number(url.port),
    tls: url.protocol.toLowerCase() === 'rediss:',
    username: username === '' ? null : username,
    password: password === '' ? null : new Secret(password),
    database: Number(url.pathname.slice(1)),
    cluster: cluster === 'true',
  })
}

function problemOfRedis({ username, password, pathname, hash, searchParams }: URL, cluster: string): string | null {
  if (hash !== '') return 'must not contain #: in user and password it is written as %23'
  if (username !== '' && password === '') return `must have a password with the user: ${REDIS_FORM}`
  if (!/^(?:\/\d{0,4})?$/.test(pathname)) return `must have a number as its database: ${REDIS_FORM}`
  if ([...searchParams.keys()].some((name) => name !== CLUSTER))
    return `has a parameter that is not known: there is ${CLUSTER}`
  if (cluster !== 'true' && cluster !== 'false') return `must have as its ${CLUSTER} true or false`
  return cluster === 'true' && Number(pathname.slice(1)) !== 0
    ? 'must name database 0 of a cluster, which has no other'
    : null
}

/** Null if a % is not part of an escape sequence. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
