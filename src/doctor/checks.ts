import { createHmac, randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetch } from 'undici'
import type { AppConfig } from '../config.ts'
import { createOutboundAgent } from '../lib/outbound-agent.ts'
import { createLogger } from '../observability/logger.ts'
import { assertUsable, clientConfig, connect, createSockets } from '../store/postgres/postgres-connection.ts'
import { unusable } from '../store/postgres/postgres-failure.ts'
import { createSites, type Site } from '../upstream/client/sites.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream/upstream-client.ts'
import { UpstreamFault } from '../upstream/upstream-fault.ts'
import { SIGNATURE_HEADER } from '../webhooks/signature.ts'
import { openFilesLimit } from './open-files.ts'

/** What is wrong, and what to do. Contains no secret. */
export type Finding = { readonly check: CheckName; readonly problem: string }

export type CheckName = 'sites' | 'issuer' | 'webhooks' | 'clock' | 'disk' | 'open files' | 'database' | 'redis'

/** What the system says; a test plants faults in it. */
export type SystemFacts = {
  readonly now: () => Date
  readonly openFiles: () => unknown
  /** Free and total bytes of the disk of a folder. */
  readonly disk: (folder: string) => { readonly free: number; readonly total: number }
}

const PATIENCE_MS = 5_000
/** Tokens are accepted up to five seconds before their time. */
const MOST_CLOCK_MS = 5_000
const LEAST_FREE_BYTES = 1024 ** 3
const LEAST_FREE_SHARE = 0.05
/** A webhook and a mutation take a few queries each. */
const MOST_QUERY_MS = 25
/** One for each connection and socket: at its default of 1,024 a few hundred clients fill a process. */
const FEW_OPEN_FILES = 4_096
/** A node has a writer, its readers and one that listens. */
const LEAST_CONNECTIONS = 20

const SYSTEM: SystemFacts = {
  now: () => new Date(),
  openFiles: openFilesLimit,
  disk: (folder) => {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return { free: bavail * bsize, total: blocks * bsize }
  },
}

/** Every check, in the order of the report. */
export const CHECKS: Readonly<Record<CheckName, (config: AppConfig, facts: SystemFacts) => Promise<string[]>>> = {
  sites: checkSites,
  issuer: checkIssuer,
  webhooks: checkWebhooks,
  clock: checkClock,
  disk: checkDisk,
  'open files': async (_config, { openFiles }) => {
    const limit = openFiles()
    return typeof limit === 'number' && limit < FEW_OPEN_FILES
      ? [`The limit of open files is ${limit}: raise it (ulimit -n, LimitNOFILE) to ${FEW_OPEN_FILES} or more.`]
      : []
  },
  database: checkDatabase,
  redis: checkRedis,
}

/** Runs all checks at once. Takes at most a few seconds, changes nothing, and never rejects. */
export async function examine(config: AppConfig, facts: Partial<SystemFacts> = {}): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(CHECKS).map(async ([name, check]) => {
      const problems = await check(config, { ...SYSTEM, ...facts }).catch((error: unknown) => [
        `The check failed (${codeOf(error)}).`,
      ])
      return problems.map((problem) => ({ check: name as CheckName, problem }))
    }),
  )
  return found.flat()
}

async function checkSites({ upstream, proxies }: AppConfig): Promise<string[]> {
  const sites = createSites(upstream.sites)
  const client = createUpstreamClient({ baseUrl: upstream.url, sites, proxies, breaker: {} })
  const problems = await Promise.all(sites.all.map((site) => problemOfSite(client, site)))
  await client.close()
  return [...new Set(problems.filter((problem) => problem !== null))]
}

async function problemOfSite(client: UpstreamClient, site: Site): Promise<string | null> {
  try {
    await client.getBalances(site, site.currencies[0] ?? '')
    return null
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error
    const { detail, code } = error
    if (detail.kind === 'credentials')
      return `The payments API refuses the credentials of the site ${site.id}: correct its appId and secretKey in UPSTREAM_SITES.`
    if (detail.kind === 'not-sent')
      return `The payments API cannot be reached ${because(code, 'check UPSTREAM_URL, the network and HTTPS_PROXY')}`
    // What it refuses, it has understood.
    return detail.kind === 'unknown' && detail.reason !== 'timeout'
      ? `What answers at UPSTREAM_URL does not speak as the payments API does (${code}): check its host and path.`
      : detail.kind === 'unknown'
        ? 'The payments API does not answer in time: ask its operator.'
        : null
  }
}

async function checkIssuer({ clients, proxies }: AppConfig): Promise<string[]> {
  if (clients.kind !== 'jwks') return []
  const answer = await ask(clients.url, { proxies })
  if (typeof answer === 'string')
    return [`The issuer's keys cannot be fetched ${because(answer, 'check JWT_JWKS_URL and the network')}`]
  const keys = answer.status === 200 ? keysIn(answer.text) : null
  if (keys === null)
    return [`What answers at JWT_JWKS_URL is no key set (HTTP ${answer.status}): name the issuer's jwks_uri.`]
  return keys === 0 ? ['The key set of the issuer is empty: no token can be verified.'] : []
}

function keysIn(text: string): number | null {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown }
    return Array.isArray(keys) ? keys.length : null
  } catch {
    return null
  }
}

/** Sends a signed webhook that changes nothing, the way of those of the payments API. */
async function checkWebhooks({ http, webhooks, proxies }: AppConfig): Promise<string[]> {
  const body = `{"probe":"${randomUUID()}"}`
  const signature = createHmac('sha256', webhooks.secrets[0].reveal()).update(body).digest('hex')
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature }
  const answer = await ask(`${http.publicUrl}/webhooks/payments`, { proxies, init: { method: 'POST', headers, body } })
  if (typeof answer === 'string')
    return [`PUBLIC_URL cannot be reached ${because(answer, 'start the subgraph, and check name, proxy and firewall')}`]
  if (answer.status === 401)
    return [
      'A webhook through PUBLIC_URL is refused: the subgraph there has other WEBHOOK_SECRETS, or a proxy changes the body or drops the header of the signature.',
    ]
  if (answer.status >= 500)
    return [`PUBLIC_URL answers a webhook with HTTP ${answer.status}: the subgraph there is overloaded or not started.`]
  return answer.status === 200
    ? []
    : [`What answers at PUBLIC_URL takes no webhook (HTTP ${answer.status}): it leads to another program or path.`]
}

async function checkClock({ upstream, proxies }: AppConfig, { now }: SystemFacts): Promise<string[]> {
  const answer = await ask(upstream.url, { proxies })
  const theirs = typeof answer === 'string' ? Number.NaN : Date.parse(answer.date ?? '')
  // The header has whole seconds, and was written before it arrived.
  return clockApart(now().getTime() - theirs, 'the payments API')
}

function clockApart(aheadMs: number, whose: string): string[] {
  const seconds = Math.round(aheadMs / 1_000)
  return Math.abs(seconds) * 1_000 > MOST_CLOCK_MS
    ? [`The clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of ${whose}: set it by NTP.`]
    : []
}

async function checkDisk({ database, retention }: AppConfig, { disk }: SystemFacts): Promise<string[]> {
  const folders = [
    ...(database.kind === 'sqlite' ? [dirname(database.path)] : []),
    ...(retention.archive?.kind === 'folder' ? [retention.archive.path] : []),
  ]
  return folders.flatMap((folder) => {
    if (!existsSync(folder)) return []
    const { free, total } = disk(folder)
    const isLow = free < LEAST_FREE_BYTES || free < total * LEAST_FREE_SHARE
    return isLow
      ? [`The disk of ${folder} has ${Math.floor(free / 1024 ** 2)} MiB free: make room, or enlarge it.`]
      : []
  })
}

async function checkDatabase({ database }: AppConfig, { now }: SystemFacts): Promise<string[]> {
  if (database.kind === 'sqlite') {
    const folder = dirname(database.path)
    try {
      if (existsSync(folder)) accessSync(folder, constants.W_OK)
      return []
    } catch (error) {
      return [`DATABASE_URL names a file in ${folder}, where this user cannot write (${codeOf(error)}).`]
    }
  }
  const sockets = createSockets()
  try {
    const connection = await connect(clientConfig(database.url.reveal(), sockets, PATIENCE_MS))
    try {
      await assertUsable(connection)
      const before = performance.now()
      const { rows } = await connection.run(
        `SELECT current_setting('max_connections')::int AS most, extract(epoch FROM clock_timestamp()) * 1000 AS now`,
      )
      const tookMs = Math.round(performance.now() - before)
      const most = Number(rows[0]?.['most'])
      return [
        ...clockApart(now().getTime() - Number(rows[0]?.['now']), 'the database'),
        ...(tookMs > MOST_QUERY_MS
          ? [`The database at ${database.place} takes ${tookMs} ms for a query: run the subgraph near it.`]
          : []),
        ...(most < LEAST_CONNECTIONS
          ? [`The database allows ${most} connections: raise max_connections to ${LEAST_CONNECTIONS} for each node.`]
          : []),
      ]
    } finally {
      await connection.end()
    }
  } catch (error) {
    const why = unusable(error)
    return [
      why instanceof Error && why.name === 'StoreUnusableError'
        ? why.message
        : `The database at ${database.place} cannot be used (${codeOf(error)}).`,
    ]
  } finally {
    sockets.close()
  }
}

async function checkRedis({ redis }: AppConfig): Promise<string[]> {
  if (redis === null) return []
  const { openRedis } = await import('../redis/redis-connection.ts')
  let code = 'no answer'
  const note = (fields: object) => void ('code' in fields && (code = String(fields.code)))
  const connection = openRedis(redis, { logger: { ...createLogger({ level: 'silent' }), warn: note } })
  const until = performance.now() + PATIENCE_MS / 2
  while (!connection.isConnected && performance.now() < until) await sleep(50)
  const { isConnected } = connection
  connection.close()
  return isConnected
    ? []
    : [
        `Redis cannot be used ${because(code, 'check address and TLS in REDIS_URL')} Nodes go on without it, and slower.`,
      ]
}

type Answer = { readonly status: number; readonly text: string; readonly date: string | null }

/** Returns the answer, or the code of why there is none. */
async function ask(
  url: string,
  { proxies, init = {} }: Pick<AppConfig, 'proxies'> & { init?: Parameters<typeof fetch>[1] },
): Promise<Answer | string> {
  const dispatcher = createOutboundAgent(proxies, { connectMs: PATIENCE_MS })
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(url, { redirect: 'manual', ...init, dispatcher, signal })
    return { status: response.status, text: await response.text(), date: response.headers.get('date') }
  } catch (error) {
    return codeOf(error)
  } finally {
    await dispatcher.close()
  }
}

/** What to do about a failure, by the codes of the system, of OpenSSL, of calls of the payments API, and of Redis. */
const ADVICE: readonly (readonly [code: RegExp, advice: string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired: renew it'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet: compare the clocks'],
  [/ALTNAME|HOSTNAME_MISMATCH/, 'its certificate is for another name: correct the address, or the certificate'],
  [/SSL|EPROTO/, 'what listens there speaks no TLS: check port and proxy'],
  [
    /^CERT|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|tls$/,
    'its certificate is not accepted: renew it, or name its authority in NODE_EXTRA_CA_CERTS',
  ],
  [/^ENOTFOUND|^EAI_|dns$/, 'its host name is not known: correct it, or the DNS'],
  [/^NOAUTH$|^WRONGPASS$/, 'it refuses the user or the password: correct them'],
]

/** Returns why something cannot be reached, and what to do. */
function because(code: string, otherwise: string): string {
  return `(${code}): ${ADVICE.find(([codes]) => codes.test(code))?.[1] ?? otherwise}.`
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause instanceof Error ? codeOf(error.cause) : error.name
}
