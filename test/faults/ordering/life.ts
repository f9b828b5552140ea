import { present, report } from '../../contract/store/builders.ts'
import type { Random } from '../random.ts'
import { AMOUNT, HOUR_MS, MINUTE_MS, type Truth, walk } from './truth.ts'

/** One payment, what becomes of it, and what is shown of it. All instants in milliseconds since the beginning of the simulation. */
export type Life = {
  /** Names its link; the payment through it is called after it. */
  readonly ref: string
  readonly truths: readonly Truth[]
  readonly outage: { readonly from: number; readonly to: number } | null
  shown: string | null
  notedAt: number
  wrongMs: number
  reads: number
  reading: boolean
  judged: boolean
}

/** A new life under its link's name: it begins in the first hour. */
export function lifeOf(number: number, withOutage: boolean, random: Random): [string, Life] {
  const begun = Math.floor(random() * HOUR_MS)
  const truths = walk(random, begun)
  const ref = String(number)
  const life = { ref, truths, outage: withOutage ? outageOf(truths, random) : null }
  return [ref, { ...life, shown: null, notedAt: begun, wrongMs: 0, reads: 0, reading: false, judged: false }]
}

/** Ten minutes to two hours, in which the payment changes for the last time. */
function outageOf(truths: readonly Truth[], random: Random): Life['outage'] {
  const lengthMs = Math.round((10 + random() * 110) * MINUTE_MS)
  const from = present(truths.at(-1)).at - Math.floor(random() * lengthMs)
  return { from, to: from + lengthMs }
}

/** Id of its payment. */
export function paymentOf({ ref }: Life): string {
  return `PAY-${ref}`
}

/** Id of its link. */
export function linkOf({ ref }: Life): string {
  return `LINK-${ref}`
}

/** The name of a link's life. */
export function refOf(link: string): string {
  return link.slice('LINK-'.length)
}

/** Whether nobody is here to be told. */
export function isAway({ outage }: Life, at: number): boolean {
  return outage !== null && at >= outage.from && at < outage.to
}

/** What the payments API says; a webhook names the totals only where its bodies do. */
export function reported(life: Life, { status, refunded }: Truth, withTotals: boolean) {
  const totals = withTotals ? { refunded: String(refunded) } : {}
  const ids = { paymentId: paymentOf(life), linkId: linkOf(life) }
  return report(status, { ...ids, details: { amount: String(AMOUNT), ...totals } })
}
