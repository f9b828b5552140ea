import { median } from '../figures.ts'
import type { Stored } from './databases.ts'
import type { Measured, Sender } from './load.ts'
import { STATUSES } from './requests.ts'
import type { Totals } from './sender.ts'
import type { Target } from './targets.ts'

/** Measurements of one target, round by round. */
export type Result = {
  readonly target: Target
  /** Every connection sends as soon as it is answered. */
  readonly full: readonly Measured[]
  /** At half of that rate, whether or not earlier webhooks are answered. */
  readonly half: readonly Measured[]
  /** All webhooks that were sent, including those before and between the measurements. */
  readonly sent: Totals
  /** Growth of the database in bytes. */
  readonly grownBytes: number
}

export type RoundOptions = {
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Called with the next step. */
  readonly onProgress: (step: string) => void
}

/** Number of webhooks to prepare for each second before the rate of a receiver is known. */
const FIRST_PER_SECOND = 8_000

/**
 * Measures all targets in turns, round by round, so that other load on the machine affects all of them equally. Then measures those of
 * `paced` at half of their rate.
 */
export async function measureRounds(
  sender: Sender,
  targets: readonly Target[],
  { paced, onProgress, ...options }: RoundOptions & { readonly paced: ReadonlySet<Target> },
): Promise<Result[]> {
  const series = await Promise.all(targets.map(async (target) => startSeries(target)))
  for (const each of series) await warmUp(sender, each, options)
  for (let round = 0; round < options.rounds; round += 1) {
    onProgress(`round ${round + 1} of ${options.rounds}`)
    for (const each of series)
      each.full.push(await measure(sender, each, { seconds: options.seconds, perSecond: null }))
  }
  onProgress('at half of the rates')
  for (let round = 0; round < options.rounds; round += 1)
    for (const each of series.filter(({ target }) => paced.has(target))) {
      const perSecond = median(each.full.map((measured) => measured.perSecond)) / 2
      each.half.push(await measure(sender, each, { seconds: options.seconds, perSecond }))
    }
  return Promise.all(series.map(finish))
}

type Series = {
  readonly target: Target
  readonly sizeBefore: number
  readonly full: Measured[]
  readonly half: Measured[]
  readonly all: Measured[]
  expectedPerSecond: number
}

async function startSeries(target: Target): Promise<Series> {
  const sizeBefore = (await target.database?.size()) ?? 0
  return { target, sizeBefore, full: [], half: [], all: [], expectedPerSecond: FIRST_PER_SECOND }
}

/** Runs a load until the code is compiled, and sets the number of webhooks to prepare for the rounds. */
async function warmUp(
  sender: Sender,
  series: Series,
  { warmUpSeconds }: Pick<RoundOptions, 'warmUpSeconds'>,
): Promise<void> {
  const { perSecond } = await send(sender, series, { seconds: warmUpSeconds, perSecond: null })
  // Another program may have had the core meanwhile.
  series.expectedPerSecond = 4 * perSecond + 1_000
}

type Pace = { readonly seconds: number; readonly perSecond: number | null }

async function measure(sender: Sender, series: Series, pace: Pace): Promise<Measured> {
  const measured = await send(sender, series, pace)
  if (measured.exhausted) throw new Error(`${series.target.name} took more webhooks than were prepared.`)
  return measured
}

async function send(sender: Sender, series: Series, { seconds, perSecond }: Pace): Promise<Measured> {
  const { target, expectedPerSecond } = series
  const load = {
    seconds,
    perSecond,
    expectedPerSecond: perSecond ?? expectedPerSecond,
    again: target.database === null,
  }
  const measured = await sender.measure(target.receiver, load)
  series.all.push(measured)
  return measured
}

async function finish({ target, full, half, all, sizeBefore }: Series): Promise<Result> {
  const refused: Record<string, number> = {}
  const sent = { payments: 0, webhooks: 0, refused }
  for (const { totals } of all) {
    sent.payments += totals.payments
    sent.webhooks += totals.webhooks
    for (const [status, count] of Object.entries(totals.refused)) refused[status] = (refused[status] ?? 0) + count
  }
  const grownBytes = ((await target.database?.size()) ?? 0) - sizeBefore
  return { target, full, half, sent, grownBytes }
}

/**
 * Returns sentences about what is wrong with the answers and the stored rows; none if every webhook was answered with 200 and is stored.
 */
export async function faultsOf({ target, sent }: Pick<Result, 'target' | 'sent'>): Promise<string[]> {
  const faults = Object.entries(sent.refused).map(
    ([status, count]) => `${count} of ${sent.webhooks} webhooks were answered with ${status}`,
  )
  const stored = await target.database?.stored()
  const expected: Stored = { deliveries: sent.webhooks, events: sent.webhooks, payments: sent.payments }
  if (stored !== undefined)
    for (const part of ['deliveries', 'events', 'payments'] as const)
      if (stored[part] !== expected[part])
        faults.push(
          `${stored[part]} ${part}${part === 'payments' ? ` in the status ${STATUSES.at(-1)}` : ''} are stored, and ${expected[part]} were sent`,
        )
  return faults.map((fault) => `${target.name}: ${fault}.`)
}
