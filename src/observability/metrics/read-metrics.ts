import { Counter, Gauge, type Registry } from 'prom-client'

export type ReadMetrics = {
  /**
   * Counts a read of the payments API by its outcome; `changed` means that the read found a change that no webhook had reported.
   */
  readEnded(outcome: string): void
  /** Counts a sweep, which reads everything that may have changed. */
  swept(): void
  /** Counts rows that were archived because of their age, before they are pruned. */
  rowsArchived(kind: string, count: number): void
}

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

export type ReadSources = {
  /** Ids of the sites. */
  readonly sites: readonly string[]
  readonly isLeader: () => boolean
  /** Milliseconds for which no planned read of a site is made; 0 if they are made. */
  readonly readsHeldMs: (site: string) => number
  readonly reads: () => Promise<ReadBacklog>
}

/** Metrics of the reads of the payments API and of upkeep. `clock` is used for the age of doubts. */
export function createReadMetrics(registry: Registry, sources: ReadSources, clock: () => Date): ReadMetrics {
  const registers = [registry]
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
  addReadGauges(registers, sources.reads, clock)
  addPauseGauge(registers, sources)
  registry.registerMetric(
    new Gauge({
      name: 'payments_reader_leader',
      help: 'Whether this process makes the planned reads: 1 at one of all nodes.',
      registers,
      collect() {
        this.set(Number(sources.isLeader()))
      },
    }),
  )
  return {
    readEnded: (outcome) => reads.inc({ outcome }),
    swept: () => sweeps.inc(),
    rowsArchived: (kind, count) => archived.inc({ kind }, count),
  }
}

function addPauseGauge(registers: Registry[], { sites, readsHeldMs }: ReadSources): Gauge {
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
