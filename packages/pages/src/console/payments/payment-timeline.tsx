import { useState } from 'preact/hooks'
import type { FeedEvent } from '../feed/log-changes.ts'
import { DeliveriesDocument, type DeliveryRowFragment } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { itemOf, lookOfRaw } from '../pieces/history.tsx'
import { lookOf } from '../pieces/statuses.ts'
import { Timeline, type TimelineItem } from '../pieces/timeline.tsx'
import { hrefOf } from '../routes/route.ts'
import type { PaymentNow } from './payment.tsx'

/** Deliveries of one payment that are shown; the link leads to the others. */
const MOST = 50
const FILTERS = ['All', 'Events', 'Deliveries'] as const

type Props = { readonly payment: PaymentNow; readonly concerns: (event: FeedEvent) => boolean }

/** What happened to a payment: its events, each with the delivery that brought it, and the deliveries that changed nothing. */
export function PaymentTimeline({ payment: { id, events, refunds }, concerns }: Props) {
  const [shown, setShown] = useState<(typeof FILTERS)[number]>('All')
  const variables = { first: MOST, filter: { subjectIds: [id] } }
  const answer = useAnswer(DeliveriesDocument, variables, { concerns })
  const deliveries = answer.data?.webhookDeliveries?.nodes ?? []
  const broughtBy = new Map(deliveries.flatMap((delivery) => (delivery.event ? [[delivery.event.id, delivery]] : [])))
  const ofEvents = (events?.nodes ?? []).map((event) => {
    const delivery = broughtBy.get(event.id)
    const refund = refunds.find(({ id: refundId }) => refundId === event.refund?.refundId)
    const said = refund?.description == null ? [] : [`“${refund.description}”`]
    return itemOf(event, ...said, ...(delivery === undefined ? [] : [<DeliveryLink of={delivery} />]))
  })
  const ofDeliveries = deliveries.flatMap((delivery) => itemsOf(delivery, shown === 'Deliveries'))
  const items = [...(shown === 'Deliveries' ? [] : ofEvents), ...(shown === 'Events' ? [] : ofDeliveries)]
  return (
    <section aria-labelledby="timeline">
      <header class="section-head">
        <h2 id="timeline">Timeline</h2>
        <div class="segments push" role="group" aria-label="What is shown">
          {FILTERS.map((name) => (
            <button key={name} type="button" aria-pressed={name === shown} onClick={() => setShown(name)}>
              {name}
            </button>
          ))}
        </div>
      </header>
      <AnswerFailure of={answer} />
      <Timeline label="Timeline" items={items} />
      {events?.pageInfo.hasNextPage === true && (
        <p class="note">There are more events than the first {events.nodes.length}.</p>
      )}
      {answer.data?.webhookDeliveries?.pageInfo.hasNextPage === true && (
        <p class="note">
          <a href={hrefOf('deliveries', null, { subject: id })}>All deliveries of this payment</a>
        </p>
      )}
    </section>
  )
}

function DeliveryLink({ of: { id } }: { readonly of: DeliveryRowFragment }) {
  return <a href={hrefOf('deliveries', id)}>Show the delivery</a>
}

/** Returns the items of a delivery: that it came, unless its event says so, and that it was repeated. */
function itemsOf(delivery: DeliveryRowFragment, isAll: boolean): TimelineItem[] {
  const { id, disposition, statusRaw, attempts, event, firstReceivedAt, lastReceivedAt } = delivery
  const { word, glyph, tone } = lookOf('PaymentWebhookDisposition', disposition)
  const link = <DeliveryLink of={delivery} />
  const status = statusRaw === null ? '' : `: ${lookOfRaw('', statusRaw).word}`
  const came: TimelineItem = {
    id: `delivery ${id}`,
    at: firstReceivedAt,
    tone,
    glyph,
    isMinor: disposition !== 'DOUBTFUL' && disposition !== 'QUARANTINED',
    title: `Delivery ${word.toLowerCase()}${status}`,
    about: [link],
  }
  const again: TimelineItem = {
    id: `repeats ${id}`,
    at: lastReceivedAt,
    tone: 'over',
    icon: 'webhooks',
    isMinor: true,
    title: `Delivery received ${attempts - 1} more ${attempts === 2 ? 'time' : 'times'}${status}`,
    about: ['The same body, which changes nothing'],
  }
  return [...(event === null || isAll ? [came] : []), ...(attempts > 1 ? [again] : [])]
}
