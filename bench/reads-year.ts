import { type DayFigures, simulateReads } from './support/simulate-reads.ts'

/**
 * Prints the backlog of due reads of one site, day by day for a year, for 100,000, a million and ten million payments a month, at two reads
 * a second. Prints every tenth day and the last one; every thirtieth day has a gap of two hours.
 */
const SIZES = [100_000, 1_000_000, 10_000_000]
const DAYS = 365
const SEED = 1

const columns: readonly [string, (figures: DayFigures) => number][] = [
  ['day', ({ day }) => day],
  ['doubts due', ({ due }) => due.doubt],
  ['links due', ({ due }) => due.expiry],
  ['polls due', ({ due }) => due.poll],
  ['oldest poll h', ({ oldestPollMs }) => Math.round(oldestPollMs / 3_600_000)],
  ['longest doubt s', ({ longestDoubtMs }) => longestDoubtMs / 1_000],
  ['reads', ({ reads }) => reads],
]

function print(values: readonly (string | number)[]): void {
  console.log(values.map((value) => String(value).padStart(16)).join(''))
}

for (const paymentsPerMonth of SIZES) {
  console.log(`\n${paymentsPerMonth} payments a month, seed ${SEED}`)
  print(columns.map(([name]) => name))
  const days = simulateReads({ paymentsPerMonth, days: DAYS, seed: SEED })
  for (const figures of days)
    if (figures.day % 10 === 0 || figures.day === DAYS) print(columns.map(([, of]) => of(figures)))
  const doubt = Math.max(...days.map(({ longestDoubtMs }) => longestDoubtMs))
  const polls = Math.max(...days.map(({ due }) => due.poll))
  console.log(`longest doubt ${doubt / 1_000} s, most polls due at the end of a day ${polls}`)
}
