import { Icon } from '../../design/icons.tsx'
import type { EventPartsFragment } from '../generated/graphql.ts'
import { lookOf, type StatusKind } from './statuses.ts'
import { Timeline, type TimelineItem } from './timeline.tsx'
import { Amount, type AmountValue, wordsOf } from './values.tsx'

type HistoryEvent = EventPartsFragment & {
  /** The refund that the event shows, of an event of a payment. */
  readonly refund?: { readonly state: string; readonly amount: AmountValue | null } | null
}

type Props = {
  readonly events: readonly HistoryEvent[]
  /** False when there are more events than are shown. */
  readonly isWhole: boolean
}

/** The history of a subject that has no deliveries of its own. */
export function History({ events, isWhole }: Props) {
  return (
    <section aria-labelledby="history">
      <header class="section-head">
        <h2 id="history">Timeline</h2>
      </header>
      <Timeline label="Timeline" items={events.map((event) => itemOf(event))} />
      {!isWhole && <p class="note">There are more events than the first {events.length}.</p>}
    </section>
  )
}

/** Returns an event as an item of a timeline; with more lines about it. */
export function itemOf(event: HistoryEvent, ...more: NonNullable<TimelineItem['about']>): TimelineItem {
  const { id, kind, receivedAt, source, requestedBy, sequence, toStatus, fromStatus, refund } = event
  const about = [`Event ${sequence}, ${originOf(source, requestedBy)}`, ...more]
  const base = { id, at: receivedAt, about }
  if (refund != null) {
    const { word, glyph, tone } = lookOf('PaymentRefundState', refund.state)
    const title = (
      <>
        Refund {refund.amount !== null && 'of '}
        {refund.amount !== null && <Amount of={refund.amount} />} <span>{word.toLowerCase()}</span>
      </>
    )
    return { ...base, glyph, tone, title }
  }
  if (toStatus === null) return { ...base, ...unchanged(kind), title: wordsOf(kind) }
  const { word, glyph, tone } = lookOfRaw(kind, toStatus)
  if (kind === 'PAYMENT_CONFIRMED') return { ...base, ...unchanged(kind), title: `Status confirmed: ${word}` }
  if (fromStatus === toStatus) return { ...base, ...unchanged(kind), title: wordsOf(kind) }
  const title =
    fromStatus === null ? (
      <span>{word}</span>
    ) : (
      <>
        <span>{lookOfRaw(kind, fromStatus).word}</span> <Icon name="arrow" class="inline" />
        <span class="hidden-text"> to </span> <span>{word}</span>
      </>
    )
  return { ...base, glyph, tone, title }
}

/** Returns how an event was learned of, and who asked for it. */
function originOf(source: string, requestedBy: string | null): string {
  if (requestedBy === null) return `by ${wordsOf(source).toLowerCase()}`
  return `by ${source === 'WEBHOOK' ? 'replay' : wordsOf(source).toLowerCase()} of ${requestedBy}`
}

function unchanged(kind: string): Pick<TimelineItem, 'tone' | 'glyph' | 'icon' | 'isMinor'> {
  if (kind.startsWith('DUPLICATE_PAYMENT_FOUND')) return { tone: 'look', glyph: 'doubt' }
  if (kind.startsWith('LINK_')) return { tone: 'over', icon: 'links' }
  return { tone: 'over', icon: 'refresh', isMinor: true }
}

/** Returns how a status of the payments API is shown that an event of this kind names. */
export function lookOfRaw(kind: string, raw: string) {
  const [, enumName] = KINDS.find(([prefix]) => kind.startsWith(prefix)) ?? ['', 'PayinStatus' as const]
  return lookOf(enumName, raw.toUpperCase(), raw)
}

const KINDS: readonly (readonly [prefix: string, kind: StatusKind])[] = [
  ['AGREEMENT_', 'PaymentAgreementStatus'],
  ['PAYOUT_', 'PayoutStatus'],
  ['GATEWAY_PAYMENT_', 'GatewayPaymentStatus'],
]
