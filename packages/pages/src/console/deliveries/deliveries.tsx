import type { FeedEvent } from '../feed/log-changes.ts'
import { DeliveriesDocument, type DeliveryRowFragment, type PaymentWebhookDisposition } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Choices, chosenOf, filterOf, FilterForm, SearchField } from '../pieces/filter-form.tsx'
import { PAGE } from '../pieces/list.tsx'
import { Moment, momentText } from '../pieces/moments.tsx'
import { Page, Waiting, Pager, Row, Table } from '../pieces/page.tsx'
import { Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

const ATTENTION = ['YES'] as const

/** Received webhooks, newest first. */
export function Deliveries({ route }: { readonly route: Route }) {
  const { params } = route
  const subject = params.get('subject')
  const needsAttention = chosenOf(params, 'attention', ATTENTION).length > 0
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      subjectIds: subject === null ? null : [subject],
      dispositions: filterOf(params, 'disposition', DISPOSITIONS),
      needsAttention: needsAttention ? true : null,
    },
  }
  const answer = useAnswer(DeliveriesDocument, variables, { concerns: ANY_EVENT })
  const list = answer.data?.webhookDeliveries
  const rows = list?.nodes ?? []

  return (
    <Page title="Webhooks">
      <p>
        Webhooks as they came in, signed and kept. What was not authentic was refused, and is not here.{' '}
        <a href={hrefOf('deliveries', null, { attention: 'YES' })}>Deliveries that need attention</a>
      </p>
      <FilterForm
        route={route}
        label="Deliveries"
        search={<SearchField name="subject" label="Payment or agreement id" params={params} />}
      >
        <Choices name="disposition" label="Disposition" params={params} values={DISPOSITIONS} />
        <Choices name="attention" label="Needs attention" params={params} values={ATTENTION} />
      </FilterForm>
      <AnswerFailure of={answer} />
      <section class="card rows" aria-busy={answer.isOld} aria-label="Newest first">
        {rows.length > 0 ? (
          <DeliveryTable rows={rows} withAdvice={needsAttention} />
        ) : (
          <Waiting of={answer} what="deliveries" more={list?.pageInfo.hasNextPage} />
        )}
      </section>
      {list !== undefined && list !== null && (
        <Pager route={route} page={list.pageInfo} isFull={rows.length === PAGE} />
      )}
    </Page>
  )
}

const COLUMNS = ['First received', 'Disposition', 'Status', 'Attempts', 'Last received', 'Subject']

type Props = {
  readonly rows: readonly DeliveryRowFragment[]
  /** Whether to say why each needs a person, and what to do. */
  readonly withAdvice?: boolean
}

/** A table with one row per delivery. */
function DeliveryTable({ rows, withAdvice = false }: Props) {
  return (
    <Table caption="Deliveries" columns={withAdvice ? [...COLUMNS, 'What to do'] : COLUMNS}>
      {rows.map((delivery) => (
        <Row
          key={delivery.id}
          href={hrefOf('deliveries', delivery.id)}
          name={momentText(Date.parse(delivery.firstReceivedAt))}
        >
          <td>
            <Status kind="PaymentWebhookDisposition" of={delivery.disposition} />
            {delivery.quarantineReason !== null && (
              <>
                <br />
                {quarantineText(delivery.quarantineReason)}
              </>
            )}
          </td>
          <td>{delivery.statusRaw ?? '–'}</td>
          <td class="number">{delivery.attempts}</td>
          <td>
            <Moment at={delivery.lastReceivedAt} />
          </td>
          <td>
            <Subject of={delivery} />
          </td>
          {withAdvice && <td class="text">{adviceFor(delivery)}</td>}
        </Row>
      ))}
    </Table>
  )
}

/** The payment or agreement that a delivery is about. */
export function Subject({ of: { subjectId, payment, agreement } }: { readonly of: DeliveryRowFragment }) {
  if (payment !== null) return <a href={hrefOf('payments', payment.id)}>{payment.id}</a>
  if (agreement !== null) return <a href={hrefOf('agreements', agreement.id)}>{agreement.id}</a>
  return <>{subjectId ?? '–'}</>
}

const MOST = 50

type SubjectProps = {
  readonly subjectId: string
  /** Which events come with a delivery. */
  readonly concerns: (event: FeedEvent) => boolean
}

/** The latest deliveries for one payment or agreement. */
export function DeliveriesOf({ subjectId, concerns }: SubjectProps) {
  const variables = { first: MOST, filter: { subjectIds: [subjectId] } }
  const answer = useAnswer(DeliveriesDocument, variables, { concerns })
  const list = answer.data?.webhookDeliveries
  const rows = list?.nodes ?? []
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <AnswerFailure of={answer} />
      {rows.length > 0 ? <DeliveryTable rows={rows} /> : <Waiting of={answer} what="deliveries" />}
      {list?.pageInfo.hasNextPage === true && (
        <a href={hrefOf('deliveries', null, { subject: subjectId })}>All of them</a>
      )}
    </section>
  )
}

const DISPOSITIONS: readonly PaymentWebhookDisposition[] = ['APPLIED', 'STALE', 'NO_CHANGE', 'DOUBTFUL', 'QUARANTINED']

const QUARANTINE: Readonly<Record<string, string>> = {
  NO_JSON_OBJECT: 'The body was not a JSON object.',
  UNREADABLE: 'The body has no usable id or status.',
  MISADDRESSED: 'The body is about another subject than the webhook URL.',
}

/** Returns a sentence that says why a delivery was quarantined. */
export function quarantineText(reason: string): string {
  return QUARANTINE[reason] ?? reason
}

const ADVICE: Readonly<Record<string, string>> = {
  NO_JSON_OBJECT: 'Nothing was applied. Ask the provider what it sent at this time.',
  UNREADABLE:
    'Nothing was applied. If you know the payment, reconcile it. After an upgrade to a version that can read it, replay it.',
  MISADDRESSED:
    'Nothing was applied. Reconcile the payment of the webhook URL and the one in the body, and compare their references.',
}

/** Returns what a person does about a delivery that needs one. */
function adviceFor({ disposition, quarantineReason }: DeliveryRowFragment): string {
  if (disposition === 'DOUBTFUL')
    return 'It contradicts the current state, and the payments API has not been read since. This normally resolves itself within minutes. If not, check in Health whether the payments API answers, then reconcile it.'
  return ADVICE[quarantineReason ?? ''] ?? 'Replay it, or ask the provider.'
}

/** Returns the stored body with indentation; unchanged when it is not JSON. */
export function bodyText(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), exactNumbers, 2)
  } catch {
    return body
  }
}

/** Rejects numbers that would not be written back with the same digits, because bodies may contain amounts as numbers. */
function exactNumbers(_name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error('It may not be exact.')
  return value
}
