import { useContext } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import {
  DeliveriesDocument,
  type DeliveryRowFragment,
  type PaymentWebhookDisposition,
  type PaymentWebhookKind,
  WebhookFiguresDocument,
  type WebhookPartsFragment,
} from '../generated/graphql.ts'
import { type Answer, AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Choices, filterOf, FilterForm, instantOf, PeriodChip, SearchField } from '../pieces/filter-form.tsx'
import { AttentionContext } from '../pieces/head/attention.ts'
import { List, PAGE } from '../pieces/list.tsx'
import type { FeedEvent } from '../pieces/log-changes.ts'
import { Moment } from '../pieces/moments.tsx'
import { Empty, Page, RowLink, Table, Tabs, Waiting } from '../pieces/page.tsx'
import { lookOf, STATUSES } from '../pieces/statuses.ts'
import { Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'
import { DeliverySubject } from './delivery-subject.tsx'
import { adviceFor, outcomeText, REFUSALS } from './delivery-words.ts'
import { usePlan } from './replay-several.tsx'

/** Milliseconds between two reads of the figures. */
const EVERY_MS = 5_000
const DISPOSITIONS = Object.keys(STATUSES.PaymentWebhookDisposition) as PaymentWebhookDisposition[]
const KINDS: readonly PaymentWebhookKind[] = ['PAYMENT', 'AGREEMENT', 'PAYOUT', 'GATEWAY_PAYMENT', 'IDENTITY_CHECK']

/** Received webhooks, newest first, and how many were refused. */
export function Deliveries({ route }: { readonly route: Route }) {
  const { params } = route
  const figures = useAnswer(WebhookFiguresDocument, {}, { everyMs: EVERY_MS })
  const webhooks = figures.data?.paymentsHealth?.webhooks
  const replay = usePlan(params, filterIn(params))
  return (
    <Page title="Webhooks" actions={!params.has('refused') && replay.button}>
      {replay.failure}
      <DeliveryTabs params={params} webhooks={webhooks} />
      {params.has('refused') ? (
        <Refused of={figures} webhooks={webhooks} />
      ) : (
        <>
          <FilterForm
            route={route}
            label="Deliveries"
            search={<SearchField name="subject" label="Id of a payment, agreement or payout" params={params} />}
          >
            <PeriodChip label="First received" params={params} />
            <Choices name="kind" label="Kind" params={params} values={KINDS} />
            <Choices
              name="disposition"
              label="Disposition"
              params={params}
              values={DISPOSITIONS}
              word={(value) => lookOf('PaymentWebhookDisposition', value).word}
            />
            {params.has('attention') && <input type="hidden" name="attention" value="YES" />}
            <Latency of={webhooks} />
          </FilterForm>
          <DeliveryList route={route} />
        </>
      )}
    </Page>
  )
}

type TabsProps = { readonly params: URLSearchParams; readonly webhooks: WebhookPartsFragment | undefined }

function DeliveryTabs({ params, webhooks }: TabsProps) {
  const inNeed = useContext(AttentionContext).deliveries ?? null
  const [isInNeed, isRefused] = [params.has('attention'), params.has('refused')]
  const isQuarantined = !isInNeed && !isRefused && params.get('disposition') === 'QUARANTINED'
  const refused = sum(webhooks)
  return (
    <Tabs
      label="Deliveries"
      tabs={[
        { name: 'All', href: hrefOf('deliveries'), isCurrent: !isInNeed && !isRefused && !isQuarantined },
        {
          name: 'Needs attention',
          href: hrefOf('deliveries', null, { attention: 'YES' }),
          isCurrent: isInNeed,
          count: inNeed,
        },
        {
          name: 'Quarantined',
          href: hrefOf('deliveries', null, { disposition: 'QUARANTINED' }),
          isCurrent: isQuarantined,
        },
        {
          name: 'Refused',
          href: hrefOf('deliveries', null, { refused: 'YES' }),
          isCurrent: isRefused,
          count: refused === 0 ? null : String(refused),
        },
      ]}
    />
  )
}

/** How fast webhooks are answered now; nothing where none was received lately. */
function Latency({ of: webhooks }: { readonly of: WebhookPartsFragment | undefined }) {
  const { count = 0, medianMs = null, p95Ms = null } = webhooks?.recent ?? {}
  if (medianMs === null) return null
  return (
    <span class="small faint push wide-only">
      {count} in 15 min, answered in {medianMs} ms (median), {p95Ms} ms (p95)
    </span>
  )
}

function DeliveryList({ route }: { readonly route: Route }) {
  const { params } = route
  const isInNeed = params.has('attention')
  const variables = { first: PAGE, after: params.get('after'), filter: filterIn(params) }
  const answer = useAnswer(DeliveriesDocument, variables, { concerns: ANY_EVENT })
  const list = answer.data?.webhookDeliveries
  return (
    <List
      route={route}
      what={isInNeed ? 'deliveries that need attention' : 'deliveries'}
      answer={answer}
      list={list}
      columns={columnsOf(isInNeed)}
      isFolding
    >
      {(delivery) => <DeliveryRow key={delivery.id} of={delivery} isInNeed={isInNeed} />}
    </List>
  )
}

/** Returns the deliveries that a URL selects, as a filter of the schema. */
export function filterIn(params: URLSearchParams) {
  const subject = params.get('subject')
  return {
    subjectIds: subject === null ? null : [subject],
    dispositions: filterOf(params, 'disposition', DISPOSITIONS),
    kinds: filterOf(params, 'kind', KINDS),
    needsAttention: params.has('attention') ? true : null,
    receivedFrom: instantOf(params, 'from'),
    receivedBefore: instantOf(params, 'before'),
  }
}

function columnsOf(isInNeed: boolean) {
  const last = ['Last received', 'number'] as const
  return ['Disposition', 'Subject', 'Status', ...(isInNeed ? ['What to do'] : ['Signature', 'Received']), last] as const
}

type RowProps = { readonly of: DeliveryRowFragment; readonly isInNeed?: boolean }

function DeliveryRow({ of: delivery, isInNeed = false }: RowProps) {
  return (
    <tr>
      <th scope="row" class="lead">
        <RowLink href={hrefOf('deliveries', delivery.id)}>
          <Status kind="PaymentWebhookDisposition" of={delivery.disposition} />
        </RowLink>
      </th>
      <td class="end tall">
        <DeliverySubject of={delivery} />
      </td>
      <td>
        <span class="mono">{delivery.statusRaw ?? 'none'}</span>
      </td>
      {isInNeed ? (
        <td class="text">
          {outcomeText(delivery)} {adviceFor(delivery)}
        </td>
      ) : (
        <>
          <td class="drop">
            <Signature of={delivery} />
          </td>
          <td class="drop faint">{delivery.attempts > 1 ? `${delivery.attempts} times` : 'Once'}</td>
        </>
      )}
      <td class="number faint end">
        <Moment at={delivery.lastReceivedAt} inRow />
      </td>
    </tr>
  )
}

function Signature({ of: { signed } }: { readonly of: DeliveryRowFragment }) {
  if (signed === null) return <>–</>
  if (!signed) return <span class="faint">None, key valid</span>
  return (
    <span class="row">
      <Icon name="check" class="tiny tone here" />
      Valid
    </span>
  )
}

type RefusedProps = {
  readonly of: Answer<unknown>
  readonly webhooks: WebhookPartsFragment | undefined
}

/** The webhooks that were refused, by reason. Nothing of their contents is kept. */
function Refused({ of: answer, webhooks }: RefusedProps) {
  const refused = webhooks?.refused.filter(({ count }) => count > 0) ?? []
  return (
    <>
      <AnswerFailure of={answer} />
      <section class="card rows" aria-label="Refused webhooks">
        {refused.length > 0 && (
          <Table
            caption="Refused webhooks"
            columns={['Reason', ['Webhooks', 'number'], 'What to do', ['Last', 'number']]}
          >
            {refused.map(({ reason, count, lastAt }) => (
              <tr key={reason}>
                <th scope="row">{REFUSALS[reason]?.word ?? reason}</th>
                <td class="number">{count}</td>
                <td class="text">{REFUSALS[reason]?.advice}</td>
                <td class="number faint">
                  <Moment at={lastAt} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        {refused.length === 0 &&
          (webhooks === undefined ? (
            <Waiting of={answer} what="refused webhooks" />
          ) : (
            <Empty title="No webhook was refused.">{null}</Empty>
          ))}
      </section>
      <p class="note">
        Counted by the process that answered, since its start. Bodies of refused webhooks are not kept.
      </p>
    </>
  )
}

function sum(webhooks: WebhookPartsFragment | undefined): number {
  return (webhooks?.refused ?? []).reduce((all, { count }) => all + count, 0)
}

const MOST = 50

type SubjectProps = {
  readonly subjectId: string
  /** Which events come with a delivery. */
  readonly concerns: (event: FeedEvent) => boolean
}

/** The latest deliveries for one agreement. */
export function DeliveriesOf({ subjectId, concerns }: SubjectProps) {
  const variables = { first: MOST, filter: { subjectIds: [subjectId] } }
  const answer = useAnswer(DeliveriesDocument, variables, { concerns })
  const list = answer.data?.webhookDeliveries
  const rows = list?.nodes ?? []
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <AnswerFailure of={answer} />
      {rows.length > 0 ? (
        <Table caption="Deliveries" columns={columnsOf(false)} isFolding>
          {rows.map((delivery) => (
            <DeliveryRow key={delivery.id} of={delivery} />
          ))}
        </Table>
      ) : (
        <Waiting of={answer} what="deliveries" />
      )}
      {list?.pageInfo.hasNextPage === true && (
        <a href={hrefOf('deliveries', null, { subject: subjectId })}>All of them</a>
      )}
    </section>
  )
}
