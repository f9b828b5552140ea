import { type Figure, median, shown, table } from '../figures.ts'
import { quantile } from '../overload-load.ts'
import type { Recorded } from './answers.ts'
import type { Measured } from './load.ts'
import type { Result } from './rounds.ts'
import type { DatabaseKind } from './targets.ts'

/** Measurements of one kind of database. */
export type GroupResult = {
  readonly kind: DatabaseKind
  readonly one: Result
  readonly large: Result | null
  readonly three: Result | null
  /** The least that stored webhooks cost on the tables of the database; null for PostgreSQL. */
  readonly rows: Result | null
  /** Round trips per webhook; null for a database without a server. */
  readonly roundTrips: number | null
  readonly answers: Recorded
}

const NAMES: Readonly<Record<DatabaseKind, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const SHARE_OF_PEER = { sqlite: 0.4, postgres: 0.25, three: 0.4 }

const LEGEND = `“Its cores” is how much of a core the receiver used, “waited” the share of the time for which its main thread was ready to run
and had no core, because of other programs: above a few hundredths, rates and latencies are worse than they are on a machine
of one's own. CPU times do not depend on that much. “p99” is that of connections that send as fast as they are answered.`

/** Returns the figures of all databases. */
export function allFigures(peer: Result, groups: readonly GroupResult[]): Figure[] {
  return groups.flatMap((group) => figuresOf(peer, group))
}

/** Returns the values that the figures are calculated from as Markdown. */
export function describeResults(peer: Result, groups: readonly GroupResult[]): string {
  const results = [peer, ...groups.flatMap(({ rows, one, large, three }) => [rows, one, large, three])].filter(
    (result) => result !== null,
  )
  return [
    table(
      ['receiver', 'webhooks/s', 'from', 'to', 'CPU µs each', 'its cores', 'waited', 'p99 ms', 'load’s core'],
      results.map(({ target, full }) => [target.name].concat(columnsOf(full))),
    ),
    LEGEND,
    `The peer ran, or was ready to run, for ${shown(100 * medianOf(peer.full, ({ receiverLoad, waited }) => receiverLoad + waited))} % of the time: far below 100 % the load would be the limit, and not the peer.`,
  ].join('\n\n')
}

function figuresOf(peer: Result, { kind, rows, one, large, three, roundTrips, answers }: GroupResult): Figure[] {
  const name = NAMES[kind]
  const figures: Figure[] = [
    ...ratiosToPeer(`${name}, webhooks/s ÷ HMAC alone`, { peer, result: one, goal: SHARE_OF_PEER[kind] }),
    ...(rows === null ? [] : ratiosToRows(name, { peer, rows, result: one })),
    ...(three === null
      ? []
      : ratiosToPeer(`${name}, three nodes together ÷ HMAC alone`, { peer, result: three, goal: SHARE_OF_PEER.three })),
    atMost(`${name}, p99 at half of the maximum rate`, 50, {
      value: median(one.half.map(p99)),
      decimals: 1,
      unit: 'ms',
    }),
    atMost(`${name}, CPU for each webhook`, 200, {
      value: medianOf(one.full, ({ cpuUs }) => cpuUs),
      decimals: 0,
      unit: 'µs',
    }),
    ...(large === null ? [] : growthOf(`${name}, ${large.target.name.split(', ').at(-1)} against few`, one, large)),
    atMost(`${name}, stored for each webhook, with indexes`, 1_200, {
      value: one.grownBytes / one.sent.webhooks,
      decimals: 0,
      unit: 'bytes',
    }),
    ...(roundTrips === null
      ? []
      : [without(`${name}, round trips for each webhook`, { value: roundTrips, decimals: 2 })]),
    atLeast(`${name}, answers to reads recorded`, 10_000, {
      value: (answers.answers / answers.seconds) * 60,
      decimals: 0,
      unit: 'a minute',
    }),
    without(`${name}, CPU for each answer to a read`, {
      value: (answers.cpuSeconds * 1e6) / answers.answers,
      decimals: 0,
      unit: 'µs',
    }),
  ]
  return figures
}

/** Returns the medians of the ratios of each round. Ratios of CPU times hold on a machine with other programs, too. */
function ratiosToPeer(name: string, { peer, result, goal }: { peer: Result; result: Result; goal: number }): Figure[] {
  return [
    atLeast(name, goal, { value: ratioOf(result.full, peer.full, ({ perSecond }) => perSecond), decimals: 3 }),
    without(`${name}, by CPU time`, { value: ratioOf(peer.full, result.full, ({ cpuUs }) => cpuUs), decimals: 3 }),
  ]
}

/** Returns how close the product comes to the least that its rows cost, and how close that comes to the peer. */
function ratiosToRows(name: string, { peer, rows, result }: { peer: Result; rows: Result; result: Result }): Figure[] {
  const cpu = (one: Result, other: Result) => ratioOf(one.full, other.full, ({ cpuUs }) => cpuUs)
  return [
    without(`${name}, HMAC and rows ÷ HMAC alone, by CPU time`, { value: cpu(peer, rows), decimals: 3 }),
    without(`${name}, webhooks/s ÷ HMAC and rows, by CPU time`, { value: cpu(rows, result), decimals: 3 }),
  ]
}

function growthOf(name: string, few: Result, many: Result): Figure[] {
  return [
    atMost(`${name}: time for each webhook`, 1.2, {
      value: ratioOf(few.full, many.full, ({ perSecond }) => perSecond),
      decimals: 2,
    }),
    without(`${name}: CPU for each webhook`, {
      value: ratioOf(many.full, few.full, ({ cpuUs }) => cpuUs),
      decimals: 2,
    }),
  ]
}

function ratioOf(a: readonly Measured[], b: readonly Measured[], of: (measured: Measured) => number): number {
  return median(a.flatMap((measured, round) => (b[round] === undefined ? [] : [of(measured) / of(b[round])])))
}

type Value = Pick<Figure, 'value' | 'decimals' | 'unit'>

const atLeast = (name: string, goal: number, value: Value): Figure => ({
  name,
  ...value,
  goal: { kind: 'at least', value: goal },
})

const atMost = (name: string, goal: number, value: Value): Figure => ({
  name,
  ...value,
  goal: { kind: 'at most', value: goal },
})

const without = (name: string, value: Value): Figure => ({ name, ...value, goal: null })

const p99 = ({ took }: Measured): number => quantile(took, 0.99)

const medianOf = (measured: readonly Measured[], of: (one: Measured) => number): number => median(measured.map(of))

function columnsOf(full: readonly Measured[]): string[] {
  const rates = full.map(({ perSecond }) => perSecond)
  return [
    shown(median(rates)),
    shown(Math.min(...rates)),
    shown(Math.max(...rates)),
    shown(medianOf(full, ({ cpuUs }) => cpuUs)),
    shown(
      medianOf(full, ({ receiverLoad }) => receiverLoad),
      2,
    ),
    shown(
      medianOf(full, ({ waited }) => waited),
      2,
    ),
    shown(medianOf(full, p99), 1),
    shown(
      medianOf(full, ({ senderLoad }) => senderLoad),
      2,
    ),
  ]
}
