import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import {
  PaymentDeliveriesDocument,
  type PaymentDeliveriesQuery,
  type PaymentWebhookDisposition,
} from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { itemOf, lookOfRaw } from '../pieces/history.tsx'
import type { FeedEvent } from '../pieces/log-changes.ts'
import { lookOf } from '../pieces/statuses.ts'
import { Timeline, type TimelineItem } from '../pieces/timeline.tsx'
import { wordsOf } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import { itemOfNote, NoteForm } from './notes.tsx'
import type { PaymentNow } from './payment-now.ts'

type Delivery = NonNullable<PaymentDeliveriesQuery['webhookDeliveries']>['nodes'][number]

const FILTERS = ['All', 'Events', 'Deliveries'] as const

type Props = {
  readonly payment: PaymentNow
  readonly concerns: (event: FeedEvent) => boolean
  /** Called after a note was written or deleted. */
  readonly onNoted: () => void
}

/** What happened to a payment: its events, each with the delivery that brought it, deliveries and commands that changed nothing, and notes. */
export function PaymentTimeline({ payment: { id, events, refunds, commands, notes }, concerns, onNoted }: Props) {
  const [shown, setShown] = useState<(typeof FILTERS)[number]>('All')
  const answer = useAnswer(PaymentDeliveriesDocument, { id }, { concerns })
  const deliveries = answer.data?.webhookDeliveries?.nodes ?? []
  const broughtBy = new Map(deliveries.flatMap((delivery) => (delivery.event ? [[delivery.event.id, delivery]] : [])))
  const ofEvents = (events?.nodes ?? []).map((event) => {
    const delivery = broughtBy.get(event.id)
    const refund = refunds.find(({ id: refundId }) => refundId === event.refund?.refundId)
    const said = refund?.description == null ? [] : [`“${refund.description}”`]
    return itemOf(event, ...said, ...(delivery === undefined ? [] : [<About of={delivery} />]))
  })
  const ofDeliveries = deliveries.flatMap((delivery) => itemsOf(delivery, shown === 'Deliveries'))
  const ofPeople = [
    ...(commands ?? []).flatMap(itemsOfCommand),
    ...(notes ?? []).map((note) => itemOfNote(note, onNoted)),
  ]
  const items = [
    ...(shown === 'Deliveries' ? [] : [...ofEvents, ...ofPeople]),
    ...(shown === 'Events' ? [] : ofDeliveries),
  ]
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
      <NoteForm paymentId={id} onNoted={onNoted} />
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

/** How a delivery was signed, and where it is shown. */
function About({ of: { id, signed, storedAfterMs }, children }: AboutProps) {
  return (
    <>
      {children} {signed !== null && (signed ? 'Valid signature' : 'No signature, valid callback URL')}
      {storedAfterMs !== null && `, stored after ${storedAfterMs} ms`}{' '}
      <a href={hrefOf('deliveries', id)}>Show the delivery</a>
    </>
  )
}

type AboutProps = { readonly of: Delivery; readonly children?: ComponentChildren }

type Command = NonNullable<PaymentNow['commands']>[number]

/** Returns the item of a command that no event tells of. */
function itemsOfCommand({ operationId, mutation, state, requestedBy, sentAt }: Command): TimelineItem[] {
  if (state === 'SETTLED') return []
  const { word, glyph, tone } = lookOf('PaymentCommandState', state)
  const title = `${wordsOf(mutation.replaceAll(/[A-Z]/g, '_$&').toUpperCase())}: ${word.toLowerCase()}`
  const about = [requestedBy === null ? 'Command' : `Command of ${requestedBy}`]
  return [{ id: `command ${operationId}`, at: sentAt, tone, glyph, title, about }]
}

const WHY: Readonly<Record<PaymentWebhookDisposition, string>> = {
  APPLIED: 'It changed the payment.',
  STALE: 'Older than the current state; no effect.',
  NO_CHANGE: 'It reports what was already known.',
  DOUBTFUL: 'It contradicts the state; a read of the payments API decides.',
  QUARANTINED: 'Authentic, but unusable.',
}

/** Returns the items of a delivery: that it came, unless its event says so, and that it was repeated. */
function itemsOf(delivery: Delivery, isAll: boolean): TimelineItem[] {
  const { id, disposition, quarantineReason, statusRaw, attempts, event, firstReceivedAt, lastReceivedAt } = delivery
  const { word, glyph, tone } = lookOf('PaymentWebhookDisposition', disposition)
  const status = statusRaw === null ? '' : `: ${lookOfRaw('', statusRaw).word}`
  const reason = quarantineReason === null ? '' : ` ${wordsOf(quarantineReason)}.`
  const came: TimelineItem = {
    id: `delivery ${id}`,
    at: firstReceivedAt,
    tone,
    glyph,
    isMinor: disposition !== 'DOUBTFUL' && disposition !== 'QUARANTINED',
    title: `Delivery ${word.toLowerCase()}${status}`,
    about: [
      <About of={delivery}>
        {WHY[disposition]}
        {reason}
      </About>,
    ],
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
