import { PaymentsByIdDocument, PaymentsDocument, type PaymentPhaseInput } from '../generated/graphql.ts'
import { AnswerFailure } from '../pieces/failures.tsx'
import { Choices, chosenOf, FilterForm, InstantField, instantOf, SearchField } from '../pieces/filter-form.tsx'
import { Page, Waiting } from '../pieces/page.tsx'
import { Pager } from '../pieces/pager.tsx'
import { ANY_EVENT, useAnswer } from '../pieces/use-answer.ts'
import { hrefOf, type Route } from '../routes/route.ts'
import { PaymentTable } from './payment-table.tsx'

const PAGE = 20

const PHASES: readonly PaymentPhaseInput[] = [
  'IN_PROGRESS',
  'SUCCEEDED',
  'FAILED',
  'EXPIRED',
  'REFUNDING',
  'REFUNDED',
  'DISPUTED',
]

const DUPLICATES = ['OPEN'] as const

/** Payments, newest first, filtered by reference or id, by phase and by time of the last change. */
export function Payments({ route }: { readonly route: Route }) {
  const { params } = route
  const search = params.get('q')
  const variables = { first: PAGE, after: params.get('after'), filter: filterOf(params) }
  const list = useAnswer(PaymentsDocument, variables, { concerns: ANY_EVENT })
  const found = useAnswer(PaymentsByIdDocument, { id: search ?? '' }, { pause: search === null, concerns: ANY_EVENT })
  const link = search === null ? null : found.data?.paymentLink
  const byId = search === null ? [] : [found.data?.payment, link?.payment]
  const rows = unique([...byId, ...(list.data?.payments?.nodes ?? [])])
  const page = list.data?.payments?.pageInfo

  return (
    <Page title="Payments">
      <p>
        <a href={hrefOf('payments', null, { duplicate: 'OPEN' })}>Duplicate payments to settle</a>
      </p>
      <FilterForm route={route} label="Payments">
        <SearchField name="q" label="Reference, payment id or link id" params={params} />
        <InstantField name="from" label="Changed from" params={params} />
        <InstantField name="before" label="Changed before" params={params} />
        <Choices name="phase" label="Phase" params={params} values={PHASES} />
        <Choices name="duplicate" label="Duplicate" params={params} values={DUPLICATES} />
      </FilterForm>
      <AnswerFailure of={list.error === undefined && search !== null ? found : list} />
      {link !== null && link !== undefined && link.payment === null && (
        <p class="notice">
          The link <a href={hrefOf('links', link.id)}>{link.reference}</a> has no payment yet.
        </p>
      )}
      {rows.length > 0 ? <PaymentTable rows={rows} /> : <Waiting of={list} what="payments" />}
      {page !== undefined && <Pager route={route} page={page} />}
    </Page>
  )
}

function filterOf(params: URLSearchParams) {
  const phases = chosenOf(params, 'phase', PHASES)
  return {
    reference: params.get('q'),
    updatedFrom: instantOf(params, 'from'),
    updatedBefore: instantOf(params, 'before'),
    phases: phases.length === 0 ? null : phases,
    duplicate: chosenOf(params, 'duplicate', DUPLICATES).length === 0 ? null : true,
  }
}

function unique<Thing extends { readonly id: string }>(things: readonly (Thing | null | undefined)[]): Thing[] {
  const given = things.filter((thing) => thing !== null && thing !== undefined)
  return [...new Map(given.map((thing) => [thing.id, thing])).values()]
}
