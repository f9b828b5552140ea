import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { createUpstreamMetrics, type UpstreamMetrics } from './upstream-metrics.ts'

/** Counters, and gauges that are read at each scrape. */
export type Metrics = {
  readonly registry: Registry
  /** Counts a webhook by the status of the response and by the disposition of the delivery. */
  webhookAnswered(status: number, disposition: string): void
  /**
   * Counts a read of the payments API by its outcome; `changed` means that the read found a change that no webhook had reported.
   */
  readEnded(outcome: string): void
  /** Counts a sweep, which reads everything that may have changed. */
  swept(): void
  /** Counts rows that were archived because of their age, before they are pruned. */
  rowsArchived(kind: string, count: number): void
  /** Counts a callback by the id of the key that has verified it. */
  callbackVerified(keyId: string): void
  /** Counts a callback that was refused because its key is not listed any more. */
  callbackUnderUnknownKey(): void
  readonly upstream: UpstreamMetrics
  /** Counts a request or connection that was rejected before it was processed. */
  turnedAway(reason: TurnedAway): void
  /** Counts a payment through a link that was never returned to a client. */
  orphanLinkPaid(): void
}

/** Why a request or connection was rejected: overload, too many wrong credentials, or too many connections of one address. */
export type TurnedAway = 'overload' | 'failed_authentication' | 'connections'

/** What is due to be read from the payments API. */
type ReadBacklog = {
  readonly unconfirmedSince: Date | null
  readonly doubtSince: Date | null
  readonly waiting: number
  readonly due: readonly DueReads[]
}
type DueReads = {
  readonly readSite: string
  readonly readClass: string
  readonly count: number
  readonly since: Date | null
}

export type Gauges = {
  /** Ids of the sites. */
  readonly sites: readonly string[]
  readonly sockets: () => number
  readonly eventStreams: () => number
  readonly callbacks: () => number
  readonly streams: () => number
  readonly isLeader: () => boolean
  /** Milliseconds for which no planned read of a site is made; 0 if they are made. */
  readonly readsHeldMs: (site: string) => number
  readonly reads: () => Promise<ReadBacklog>
  /** Whether Redis answers; null if none is configured. */
  readonly redis: (() => boolean) | null
  /** Whether wake-ups of other nodes arrive; null on a database that only one process uses. */
  readonly wakeUps: (() => boolean) | null
}

/** The metrics of one process, in Prometheus format. Each app has its own registry. `clock` is used for the age of doubts. */
export function createMetrics(gauges: Gauges, clock: () => Date): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const webhookAnswered = countWebhooks(registers)
  const reads = new Counter({
    name: 'payments_reads_total',
    help: 'Reads of a payment, link or agreement from the payments API, by outcome; changed is a repair.',
    labelNames: ['outcome'],
    registers,
  })
  const sweeps = new Counter({
    name: 'payments_sweeps_total',
    help: 'Sweeps over everything that may have changed while no process ran.',
    registers,
  })
  const archived = new Counter({
    name: 'payments_archived_rows_total',
    help: 'Rows that were archived because of their age, to be pruned, by kind.',
    labelNames: ['kind'],
    registers,
  })
  const callbacks = new Counter({
    name: 'payments_callbacks_verified_total',
    help: 'Webhooks and callbacks at the address of a command, by the id of the key that has verified them.',
    labelNames: ['key'],
    registers,
  })
  const unknownKeys = new Counter({
    name: 'payments_callbacks_unknown_key_total',
    help: 'The same, refused because their key is not, or no longer, listed in CALLBACK_KEYS or SIGNING_KEYS.',
    registers,
  })
  const turnedAway = new Counter({
    name: 'payments_turned_away_total',
    help: 'GraphQL requests and connections refused before they were parsed, by reason.',
    labelNames: ['reason'],
    registers,
  })
  addReadGauges(registers, gauges.reads, clock)
  const orphans = new Counter({
    name: 'payments_orphan_links_paid_total',
    help: 'Payments through links whose creation was unanswered, and which no client received: an operator must act.',
    registers,
  })
  addGauge('payments_sockets_open', 'WebSocket connections that are open.', gauges.sockets)
  addGauge(
    'payments_event_streams_open',
    'Open streams of server-sent events and multipart subscriptions.',
    gauges.eventStreams,
  )
  addGauge('payments_callback_subscriptions_open', 'Subscriptions with callbacks to a router.', gauges.callbacks)
  addGauge('payments_reader_leader', 'Whether this process makes the planned reads: 1 at one of all nodes.', () =>
    Number(gauges.isLeader()),
  )
  addPauseGauge(registers, gauges)
  addGauge('payments_streams_open', 'Streams of events that are being followed.', gauges.streams)
  addSwitch(
    'payments_redis_connected',
    '1 while Redis answers; 0 while this process continues without it.',
    gauges.redis,
  )
  addSwitch(
    'payments_wake_ups_connected',
    '1 while other nodes announce their events to this one; 0 while they are found by polling.',
    gauges.wakeUps,
  )
  return {
    registry,
    webhookAnswered,
    readEnded: (outcome) => reads.inc({ outcome }),
    swept: () => sweeps.inc(),
    rowsArchived: (kind, count) => archived.inc({ kind }, count),
    callbackVerified: (key) => callbacks.inc({ key }),
    callbackUnderUnknownKey: () => unknownKeys.inc(),
    upstream: createUpstreamMetrics(registry, gauges.sites),
    turnedAway: (reason) => turnedAway.inc({ reason }),
    orphanLinkPaid: () => orphans.inc(),
  }

  /** Nothing without a `read`. */
  function addSwitch(name: string, help: string, read: (() => boolean) | null): void {
    if (read !== null) addGauge(name, help, () => Number(read()))
  }

  function addGauge(name: string, help: string, read: () => number): void {
    const gauge = new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
    gauge.set(0)
  }
}

/** Counted here until the next scrape: the library hashes the labels on each call. */
function countWebhooks(registers: Registry[]): Metrics['webhookAnswered'] {
  const counts = new Map<string, Map<number, number>>()
  const counter = new Counter({
    name: 'payments_webhooks_total',
    help: 'Answered webhooks, by HTTP status and outcome.',
    labelNames: ['status', 'disposition'],
    registers,
    collect() {
      for (const [disposition, statuses] of counts)
        for (const [status, count] of statuses) counter.inc({ status, disposition }, count)
      counts.clear()
    },
  })
  return (status, disposition) => {
    const statuses = counts.get(disposition) ?? new Map<number, number>()
    counts.set(disposition, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }
}

function addPauseGauge(registers: Registry[], { sites, readsHeldMs }: Gauges): Gauge {
  return new Gauge({
    name: 'payments_reads_paused_seconds',
    help: 'How long planned reads of a site still pause: the payments API requested it, is unreachable, or rejects the credentials.',
    labelNames: ['site'],
    registers,
    collect() {
      for (const site of sites) this.set({ site }, readsHeldMs(site) / 1000)
    },
  })
}

/** All gauges come from one query of the store. If it fails they are missing, and the other metrics are still reported. */
function addReadGauges(registers: Registry[], look: () => Promise<ReadBacklog>, clock: () => Date): void {
  let looking: Promise<ReadBacklog> | null = null
  const lookOnce = () => (looking ??= look().finally(() => (looking = null)))
  const addGauge = (name: string, help: string, figure: (backlog: ReadBacklog) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await lookOnce().then(figure, () => Number.NaN))
      },
    })
  const addLaneGauge = (name: string, help: string, figure: (due: DueReads) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['site', 'class'],
      registers,
      async collect() {
        const due = await lookOnce().then(
          (backlog) => backlog.due,
          () => [],
        )
        this.reset()
        for (const reads of due) this.set({ site: reads.readSite, class: reads.readClass }, figure(reads))
      },
    })
  const age = (since: Date | null) => (since === null ? 0 : Math.max(0, (clock().getTime() - since.getTime()) / 1000))

  addGauge(
    'payments_unconfirmed_oldest_seconds',
    'Age of the oldest payment that is in doubt or due to be read; 0 when there is none.',
    ({ unconfirmedSince }) => age(unconfirmedSince),
  )
  addGauge(
    'payments_doubt_oldest_seconds',
    'Age of the oldest doubt: a webhook to be confirmed, or one that contradicts the state; 0 when there is none.',
    ({ doubtSince }) => age(doubtSince),
  )
  addGauge(
    'payments_reads_waiting',
    'Reads of payments, links and agreements that are due, counted up to 10000.',
    ({ waiting }) => waiting,
  )
  addLaneGauge(
    'payments_reads_due',
    'The same by site (or by * and currency, where no site is on record) and by class: doubt, expiry or poll.',
    ({ count }) => count,
  )
  addLaneGauge(
    'payments_reads_due_oldest_seconds',
    'Since when the oldest of them has been due, by site and class.',
    ({ since }) => age(since),
  )
}
