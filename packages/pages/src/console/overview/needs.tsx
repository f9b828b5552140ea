import type { ComponentChildren } from 'preact'
import { Glyph, Icon } from '../../design/icons.tsx'
import { OverviewNeedsDocument, type OverviewHealthQuery, type OverviewNeedsQuery } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Skeleton } from '../pieces/page.tsx'
import { lookOf } from '../pieces/statuses.ts'
import { amountText, wordsOf } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import { useScope } from '../session/session.ts'

export type HealthNow = NonNullable<OverviewHealthQuery['paymentsHealth']>

type Need = {
  readonly tone: 'fault' | 'look'
  readonly glyph: string
  readonly title: string
  readonly about: string
  readonly at?: string | null | undefined
  readonly href: string
  /** What to do, as the row says it. */
  readonly action: string
}

/** Milliseconds between two reads: a quarantined delivery has no event. */
const EVERY_MS = 2_000
/** Rows that are shown; the others are in their lists. */
const MOST = 8

/** What needs attention, the most urgent first: what did not work, then what a person decides. */
export function Needs({ health }: { readonly health: HealthNow | null }) {
  const variables = { pii: useScope('payments:pii') }
  const answer = useAnswer(OverviewNeedsDocument, variables, { concerns: ANY_EVENT, everyMs: EVERY_MS })
  const needs = [...needsOfHealth(health, answer.data), ...needsOf(answer.data)].toSorted((a, b) =>
    a.tone.localeCompare(b.tone),
  )
  return (
    <section class="card c8" aria-labelledby="needs" aria-busy={answer.isAsking}>
      <header>
        <h2 id="needs">Needs attention</h2>
        {needs.length > 0 && <span class="count look">{needs.length}</span>}
        <span class="sub push">Most urgent first</span>
      </header>
      <AnswerFailure of={answer} />
      {answer.isAsking ? (
        <Skeleton what="what needs attention" />
      ) : (
        <ul class="needs">
          {needs.slice(0, MOST).map((need) => (
            <Row key={`${need.href} ${need.title}`} of={need} />
          ))}
          {needs.length === 0 && (
            <li class="here">
              <Glyph name="done" />
              <div>
                <span class="strong">Nothing needs attention</span>
                <p class="faint small">Disputes, payments that were made twice and webhooks in doubt appear here.</p>
              </div>
            </li>
          )}
          {needs.length > MOST && (
            <Line>
              <a href={hrefOf('payments', null, { attention: 'YES' })}>Show all payments that need attention</a>
            </Line>
          )}
        </ul>
      )}
    </section>
  )
}

function Line({ children }: { readonly children: ComponentChildren }) {
  return (
    <li>
      <span />
      <div class="small">{children}</div>
    </li>
  )
}

function Row({ of: { tone, glyph, title, about, at, href, action } }: { readonly of: Need }) {
  return (
    <li class={`need ${tone}`}>
      <Glyph name={glyph} />
      <div>
        <a class="whole-item" href={href} data-row>
          {title}
        </a>
        <p class="faint small">{about}</p>
      </div>
      <span class="faint small figure">{at != null && <Moment at={at} inRow />}</span>
      <span class="go" aria-hidden="true">
        {action}
        <Icon name="right" />
      </span>
    </li>
  )
}

const OF_SITE: Readonly<Record<string, string>> = {
  CREDENTIALS_REJECTED: 'The payments API rejects the credentials of',
  READS_PAUSED: 'The payments API limits the reads of',
  PROBING: 'The payments API is tried again for',
}

function needsOfHealth(health: HealthNow | null, data: OverviewNeedsQuery | undefined): Need[] {
  const { quarantined = 0, doubtful = 0 } = health?.deliveries ?? {}
  const sites = (health?.sites ?? []).filter(({ availability }) => availability !== 'AVAILABLE')
  const held = data?.quarantined?.nodes ?? []
  const reasons = [
    ...new Set(held.flatMap(({ quarantineReason: reason }) => (reason === null ? [] : [wordsOf(reason)]))),
  ]
  return [
    ...sites.map(({ id, availability, lastAnswerAt, calls }): Need => {
      const { glyph, tone } = lookOf('PaymentsSiteAvailability', availability)
      return {
        tone: tone === 'fault' ? 'fault' : 'look',
        glyph,
        title: `${OF_SITE[availability] ?? 'The payments API does not answer for'} ${id}`,
        about: `${calls.failedCount} of ${calls.count} calls failed in the last 15 minutes`,
        at: lastAnswerAt,
        href: hrefOf('health'),
        action: 'Open health',
      }
    }),
    ...(quarantined === 0
      ? []
      : [
          {
            tone: 'fault' as const,
            glyph: 'quarantine',
            title: quarantined === 1 ? 'A webhook is quarantined' : `${quarantined} webhooks are quarantined`,
            about: reasons.join(', ') || 'Authentic, but unusable',
            at: held[0]?.lastReceivedAt,
            href: hrefOf('deliveries', null, { disposition: 'QUARANTINED' }),
            action: 'Review',
          },
        ]),
    ...(doubtful === 0
      ? []
      : [
          {
            tone: 'look' as const,
            glyph: 'doubt',
            title: doubtful === 1 ? 'A webhook is in doubt' : `${doubtful} webhooks are in doubt`,
            about: 'They contradict the current state; a read of the payments API decides',
            at: data?.doubtful?.nodes[0]?.lastReceivedAt,
            href: hrefOf('deliveries', null, { disposition: 'DOUBTFUL', attention: 'YES' }),
            action: 'Review',
          },
        ]),
  ]
}

const OF_STATUS: Readonly<Record<string, readonly [title: string, about: string, action: string]>> = {
  IN_DISPUTE: ['A customer disputes a payment', '', 'Open'],
  RETURN_REJECTED: ['A refund was denied', ': pay the customer in another way', 'Open'],
  RETURN_EXPIRED: ['A refund expired', ': request it again', 'Open'],
}
const TWICE = ['An order was paid twice', ': refund one payment, or keep both', 'Decide'] as const

function needsOf(data: OverviewNeedsQuery | undefined): Need[] {
  const { troubled, duplicates, unansweredGatewayPayments: unanswered } = data ?? {}
  const twice = new Set(duplicates?.nodes.map(({ id }) => id))
  const rows = [
    ...new Map([...(troubled?.nodes ?? []), ...(duplicates?.nodes ?? [])].map((row) => [row.id, row])).values(),
  ]
  const ofPayments = rows.map((row): Need => {
    const { id, reference, link, status, amount, updatedAt } = row
    const { glyph } = lookOf('PayinStatus', status)
    const [title, about, action] = OF_STATUS[status] ?? TWICE
    const subject = [reference ?? link?.reference ?? id, row.payer?.name, amountText(amount)]
      .filter(Boolean)
      .join(' · ')
    const more = twice.has(id) && about === '' ? ', paid twice' : about
    return {
      tone: 'look',
      glyph: OF_STATUS[status] === undefined ? 'doubt' : glyph,
      title,
      about: `${subject}${more}`,
      at: updatedAt,
      href: hrefOf('payments', id),
      action,
    }
  })
  const ofGateway = (unanswered ?? []).map(({ reference, amount, requestedAt }): Need => ({
    tone: 'look',
    glyph: 'unknown',
    title: 'A gateway payment has no answer',
    about: `${reference} · ${amountText(amount)}`,
    at: requestedAt,
    href: hrefOf('gateway-payments'),
    action: 'Settle',
  }))
  return [...ofPayments, ...ofGateway].toSorted((a, b) => Date.parse(b.at ?? '') - Date.parse(a.at ?? ''))
}
