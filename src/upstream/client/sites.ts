import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { V1_CURRENCY, V1_PAYOUT_NAMES, type V1PayoutNames } from '../../domain/payouts/payout-rules.ts'
import { Secret } from '../../keys/key-ring.ts'
import type { Logger } from '../../observability/logger.ts'
import type { BreakerState } from '../resilience/breaker.ts'
import type { AttemptSeen, BreakerChange } from './transport.ts'
import type { ClientOptions } from './upstream-client.ts'
import { UpstreamFault } from './upstream-fault.ts'

/** Paths that the payments API does not document (gap sheet, sections 12 and 21); `paths` of a site in `UPSTREAM_SITES` overrides them. */
const ASSUMED_PATHS = { cancelPayin: '/v2/payins/cancel', lookupBankByImage: '/v2/banks/lookup/qr_image' }

export type AssumedPaths = Readonly<typeof ASSUMED_PATHS>

/** One site of the merchant: a set of credentials and its currencies (docs/payments-api.md, section 5). */
export type Site = {
  /** Our name for the site; not secret, so it may be logged. */
  readonly id: string
  readonly appId: string
  readonly secretKey: Secret
  /** Upper-case currency codes. */
  readonly currencies: readonly string[]
  /** The names of fields of v1 payouts in AUD; null where the site does not pay out by v1. */
  readonly v1Payouts: V1PayoutNames | null
  readonly paths: AssumedPaths
}

/** A site as the configuration gives it. */
export type SiteSettings = {
  readonly id: string
  readonly appId: string
  readonly secretKey: Secret | string
  readonly currencies: readonly string[]
  /** Whether the site pays out by v1, with names of fields that differ from those assumed. Default: it does not. */
  readonly v1Payouts?: boolean | Partial<V1PayoutNames> | null | undefined
  /** Those that differ from the assumed ones. */
  readonly paths?: Partial<AssumedPaths> | undefined
}

export type Sites = {
  /** In configuration order. */
  readonly all: readonly Site[]
  /** Returns the site with that id, or null. */
  byId(id: string): Site | null
  /**
   * Returns the site whose credentials serve a currency: the preferred one if given, else the first in configuration order. Null
   * if no site serves the currency, or if the preferred one does not: another account is never used instead.
   */
  forCurrency(currency: string, preferredId?: string | null): Site | null
}

/** Visible ASCII characters only: they cannot end a header. */
const HEADER_TEXT = /^[\x21-\x7e]+$/

/**
 * Creates the list of sites. Two sites may serve the same currency. Throws `TypeError` for an empty list, a duplicate id, a site
 * without currency, or credentials that are not valid header values.
 */
export function createSites(settings: readonly SiteSettings[]): Sites {
  if (settings.length === 0) throw new TypeError('At least one site is needed.')
  const all = Object.freeze(settings.map(siteOf))
  const byId = new Map(all.map((site) => [site.id, site]))
  if (byId.size !== all.length) throw new TypeError('Two sites have the same id.')
  return {
    all,
    byId: (id) => byId.get(id) ?? null,
    forCurrency: (currency, preferredId) =>
      all.find(
        (site) =>
          site.currencies.includes(currency) &&
          (preferredId === undefined || preferredId === null || site.id === preferredId),
      ) ?? null,
  }
}

function siteOf({ id, appId, secretKey, currencies, v1Payouts, paths }: SiteSettings): Site {
  const secret = typeof secretKey === 'string' ? new Secret(secretKey) : secretKey
  if (id === '') throw new TypeError('A site has an empty id.')
  if (currencies.length === 0) throw new TypeError(`Site ${id} serves no currency.`)
  if (!HEADER_TEXT.test(appId) || !HEADER_TEXT.test(secret.reveal()))
    throw new TypeError(`The credentials of site ${id} hold characters that cannot stand in a header.`)
  const codes = [...new Set(currencies.map((code) => code.toUpperCase()))]
  const names = namesOf(v1Payouts ?? false)
  if (names !== null && !codes.includes(V1_CURRENCY))
    throw new TypeError(`Site ${id} has v1 payouts, which are in ${V1_CURRENCY} alone.`)
  return Object.freeze({
    id,
    appId,
    secretKey: secret,
    currencies: Object.freeze(codes),
    v1Payouts: names,
    paths: Object.freeze({ ...ASSUMED_PATHS, ...paths }),
  })
}

function namesOf(v1Payouts: boolean | Partial<V1PayoutNames>): V1PayoutNames | null {
  if (v1Payouts === false) return null
  return Object.freeze({ ...V1_PAYOUT_NAMES, ...(v1Payouts === true ? {} : v1Payouts) })
}

export type SiteState = {
  readonly breaker: BreakerState
  /** Whether the payments API answered 401 to the site's credentials and has accepted no request of the site since. */
  readonly credentialsRejected: boolean
  /** Time of the last successful answer of the payments API; null if there was none yet. */
  readonly lastAnswerAt: Date | null
}

/** The state of each site, derived from the events of the upstream client. */
export type SiteStates = {
  /** Wraps a watch: records each event and passes it on. */
  noting(watch: UpstreamWatch): UpstreamWatch
  of(site: Pick<Site, 'id'>): SiteState
}

const UNTRIED: SiteState = { breaker: 'closed', credentialsRejected: false, lastAnswerAt: null }

export function createSiteStates(clock: () => Date): SiteStates {
  const states = new Map<string, SiteState>()
  const of: SiteStates['of'] = ({ id }) => states.get(id) ?? UNTRIED
  const note = (id: string, change: Partial<SiteState>) => states.set(id, { ...of({ id }), ...change })

  const noteCredentials = (attempt: AttemptSeen, { onCredentials }: UpstreamWatch) => {
    const { siteId } = attempt
    const rejected = rejectsCredentials(attempt)
    if (rejected === null || rejected === of({ id: siteId }).credentialsRejected) return
    note(siteId, { credentialsRejected: rejected })
    onCredentials({ siteId, rejected })
  }

  return {
    of,
    noting: (watch) => ({
      ...watch,
      observe(attempt) {
        if (typeof attempt.outcome === 'number') note(attempt.siteId, { lastAnswerAt: clock() })
        noteCredentials(attempt, watch)
        watch.observe(attempt)
      },
      onBreaker(change) {
        note(change.siteId, { breaker: change.state })
        watch.onBreaker(change)
      },
    }),
  }
}

/**
 * Returns whether an attempt shows that the payments API rejects the site's credentials (true) or accepts them (false); null if
 * it shows neither. A 403 shows neither: it may
 * concern one endpoint only, and so may a 401 to an access token that token only.
 */
function rejectsCredentials({ outcome, hasAccessToken }: AttemptSeen): boolean | null {
  if (typeof outcome === 'number') return false
  const { detail } = outcome
  if (detail.kind === 'refused') return false
  return detail.kind === 'credentials' && !hasAccessToken ? true : null
}

export type UpstreamWatch = Required<Pick<ClientOptions, 'observe' | 'onBreaker' | 'onMismatch'>> & {
  /** Called when the payments API starts to refuse the credentials of a site, and when it accepts them again. */
  readonly onCredentials: (change: { readonly siteId: string; readonly rejected: boolean }) => void
}

/** Turns the events of the upstream client into metrics and log lines; log lines contain ids only. */
export function watchUpstream(metrics: UpstreamMetrics, logger: Logger): UpstreamWatch {
  return {
    observe: metrics.attempted,
    onBreaker: (change) => {
      metrics.breakerChanged(change)
      const fields = { site: change.siteId, phase: change.state }
      if (change.state === 'open') logger.error(fields, 'the payments API is in trouble: its breaker has opened')
      else logger.info(fields, 'the breaker of the payments API has changed')
    },
    onCredentials: ({ siteId: site, rejected }) => {
      if (rejected) logger.error({ site }, 'ALERT: the payments API rejects the credentials of the site')
      else logger.info({ site }, 'the payments API accepts the credentials of the site again')
    },
    onMismatch: ({ siteId: site, operation, subjectId: ref }) => {
      metrics.mismatched(site)
      logger.error(
        { site, operation, ref },
        'ALERT: the payments API answered about something else than it was asked for',
      )
    },
  }
}

export type UpstreamMetrics = {
  /** Counts and times one request to the payments API. */
  attempted(attempt: AttemptSeen): void
  breakerChanged(change: BreakerChange): void
  /** Counts an answer that was about something else than what was requested. */
  mismatched(site: string): void
}

/** In seconds; the last one is the longest time that a request may take. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25]

/**
 * Metrics of the payments API. Labels are site ids, HTTP methods, and outcomes from a fixed list (`success`, `refused`,
 * `not-sent.dns`, `unknown.timeout`), so that the number of series is bounded.
 */
export function createUpstreamMetrics(registry: Registry, sites: readonly string[]): UpstreamMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'payments_upstream_requests_total',
    help: 'Requests to the payments API, each attempt for itself, by site and outcome.',
    labelNames: ['site', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'payments_upstream_request_seconds',
    help: 'How long requests to the payments API took, waiting for a slot included.',
    labelNames: ['site', 'method'],
    buckets: BUCKETS,
    registers,
  })
  const breakers = new Gauge({
    name: 'payments_upstream_breaker_open',
    help: '1 while the breaker of a site keeps requests from the payments API, up to the answer to its probe.',
    labelNames: ['site'],
    registers,
  })
  const mismatches = new Counter({
    name: 'payments_upstream_mismatches_total',
    help: 'Answers of the payments API that were about something else than what was asked for.',
    labelNames: ['site'],
    registers,
  })
  for (const site of sites) {
    breakers.set({ site }, 0)
    mismatches.inc({ site }, 0)
  }
  return {
    attempted: ({ siteId: site, method, outcome, durationMs }) => {
      requests.inc({ site, outcome: outcome instanceof UpstreamFault ? outcome.code : 'success' })
      durations.observe({ site, method }, durationMs / 1000)
    },
    breakerChanged: ({ siteId: site, state }) => breakers.set({ site }, state === 'closed' ? 0 : 1),
    mismatched: (site) => mismatches.inc({ site }),
  }
}
