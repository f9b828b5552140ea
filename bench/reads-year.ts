import { type DayFigures, simulateReads } from './support/simulate-reads.ts'

/**
 * Prints the due reads of one site, day by day for a year, for 100,000, a million and ten million payments a month, at two reads a second.
 * Prints every tenth day and the last one; every thirtieth day has a gap of two hours.
 */
const SIZES = [100_000, 1_000_000, 10_000_000]
const DAYS = 365
const SEED = 1
const DAY_MS = 86_400_000

const columns: readonly [string, (figures: DayFigures) => number][] = [
  ['day', ({ day }) => day],
  ['doubts due', ({ doubtsDue }) => doubtsDue],
  ['polls due', ({ pollsDue }) => pollsDue],
  ['links due', ({ linksDue }) => linksDue],
  ['days to compare', ({ daysDue }) => daysDue],
  ['reads', ({ reads }) => reads],
]

function print(values: readonly (string | number)[]): void {
  console.log(values.map((value) => String(value).padStart(16)).join(''))
}

const minutes = (ms: number) => `${Math.round(ms / 6_000) / 10} min`

for (const paymentsPerMonth of SIZES) {
  console.log(`\n${paymentsPerMonth} payments a month, seed ${SEED}`)
  print(columns.map(([name]) => name))
  const { days, ...longest } = simulateReads({ paymentsPerMonth, days: DAYS, seed: SEED })
  for (const figures of days)
    if (figures.day % 10 === 0 || figures.day === DAYS) print(columns.map(([, of]) => of(figures)))
  const most = (of: (figures: DayFigures) => number) => Math.max(...days.map(of))
  console.log(`longest until a doubt is settled: ${longest.doubtMs / 1_000} s`)
  console.log(
    `longest until a payment under way is read whose webhooks were lost: ${minutes(longest.underWayMs)} after its last one; on the day of a gap ${minutes(longest.underWayAfterGapMs)}`,
  )
  console.log(`longest until a gap of two hours is compared: ${minutes(longest.gapMs)}`)
  console.log(
    `longest until a refund is found whose webhooks were lost: ${Math.ceil(longest.refundMs / DAY_MS)} days; not found by the last comparison: ${longest.refundsMissed}; comparisons of a day: ${longest.comparisons.toFixed(1)}`,
  )
  console.log(
    `most due at the end of a day: ${most(({ pollsDue }) => pollsDue)} polls, ${most(({ linksDue }) => linksDue)} links, ${most(({ daysDue }) => daysDue)} days to compare`,
  )
}
