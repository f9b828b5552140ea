import { present, report } from '../../store/contract/builders.ts'
import type { Random } from '../random.ts'
import { AMOUNT, HOUR_MS, MINUTE_MS, type Truth, walk } from './truth.ts'

/** One payment and its history. All instants are milliseconds since the beginning of the simulation. */
export type Life = {
  /** Correlation id of its link; the ids of the link and of the payment contain it. */
  readonly ref: string
  readonly truths: readonly Truth[]
  readonly outage: { readonly from: number; readonly to: number } | null
  reads: number
  reading: boolean
  judged: boolean
}

/** Creates a payment under its correlation id. It begins within the first hour. */
export function lifeOf(number: number, withOutage: boolean, random: Random): [string, Life] {
  const begun = Math.floor(random() * HOUR_MS)
  const truths = walk(random, begun)
  const ref = String(number)
  const life = { ref, truths, outage: withOutage ? outageOf(truths, random) : null }
  return [ref, { ...life, reads: 0, reading: false, judged: false }]
}

/** Returns an outage of ten minutes to two hours in which the last change of the payment happens. */
function outageOf(truths: readonly Truth[], random: Random): Life['outage'] {
  const lengthMs = Math.round((10 + random() * 110) * MINUTE_MS)
  const from = present(truths.at(-1)).at - Math.floor(random() * lengthMs)
  return { from, to: from + lengthMs }
}

/** Returns the id of its payment. */
export function paymentOf({ ref }: Life): string {
  return `PAY-${ref}`
}

/** Returns the id of its link. */
export function linkOf({ ref }: Life): string {
  return `LINK-${ref}`
}

/** Returns the correlation id of a link. */
export function refOf(link: string): string {
  return link.slice('LINK-'.length)
}

/** Returns whether the app is down at an instant. */
export function isAway({ outage }: Life, at: number): boolean {
  return outage !== null && at >= outage.from && at < outage.to
}

/** Returns the payments API's report. A webhook contains the totals only if the bodies of the simulation do. */
export function reported(life: Life, { status, refunded }: Truth, withTotals: boolean) {
  const totals = withTotals ? { refunded: String(refunded) } : {}
  const ids = { paymentId: paymentOf(life), linkId: linkOf(life) }
  return report(status, { ...ids, details: { amount: String(AMOUNT), ...totals } })
}
