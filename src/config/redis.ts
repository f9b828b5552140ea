import { Secret } from '../keys/key-ring.ts'
import type { DatabaseConfig } from './database.ts'
import { bad, good, type Parsed, type SettingReader } from './read-setting.ts'

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

const FORM = 'redis://user:password@host:6379/0, or rediss:// for TLS'
const PORT = 6379
const CLUSTER = 'cluster'
const WORDS: ReadonlyMap<string | null, boolean> = new Map([
  [null, false],
  ['false', false],
  ['true', true],
])

/** Reads REDIS_URL; null if it is unset. A fault with SQLite, which only one process uses. */
export function readRedis(reading: SettingReader, database: DatabaseConfig): RedisConfig | null {
  const redis = reading.read('REDIS_URL', parseRedis, null)
  if (redis !== null && database.kind === 'sqlite')
    reading.fault('REDIS_URL', 'is of use only with PostgreSQL in DATABASE_URL: SQLite is for one process')
  return redis
}

/** Parses the URL of a Redis server. Messages contain nothing of it. */
function parseRedis(text: string): Parsed<RedisConfig> {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  if (url === null || !/^rediss?:\/\//i.test(text) || url.hostname === '')
    return bad(`must be ${FORM}; in user and password, characters such as @ : / ? # are written as %40 %3A %2F %3F %23`)
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (username === null || password === null) return bad('must have a % in user and password written as %25')
  const cluster = WORDS.get(url.searchParams.get(CLUSTER))
  const message = wrongWith(url, cluster)
  if (message !== null) return bad(message)
  return good({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? PORT : Number(url.port),
    tls: url.protocol.toLowerCase() === 'rediss:',
    username: username === '' ? null : username,
    password: password === '' ? null : new Secret(password),
    database: Number(url.pathname.slice(1)),
    cluster: cluster === true,
  })
}

function wrongWith(
  { username, password, pathname, hash, searchParams }: URL,
  cluster: boolean | undefined,
): string | null {
  if (hash !== '') return 'must not contain #: in user and password it is written as %23'
  if (username !== '' && password === '') return `must have a password with the user: ${FORM}`
  if (!/^(?:\/\d{0,4})?$/.test(pathname)) return `must have a number as its database: ${FORM}`
  if ([...searchParams.keys()].some((name) => name !== CLUSTER))
    return `has a parameter that is not known: there is ${CLUSTER}`
  if (cluster === undefined) return `must have as its ${CLUSTER} true or false`
  return cluster && Number(pathname.slice(1)) !== 0 ? 'must name database 0 of a cluster, which has no other' : null
}

/** Null if a % is not part of an escape sequence. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
