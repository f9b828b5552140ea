import { PaymentsDocument, type PaymentPhase } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import {
  Choices,
  chosenOf,
  filterOf,
  FilterForm,
  InstantField,
  instantOf,
  SearchField,
} from '../pieces/filter-form.tsx'
import { PAGE } from '../pieces/list.tsx'
import { Page, Waiting, Pager } from '../pieces/page.tsx'
import { hrefOf, type Route } from '../routes/route.ts'
import { ExportPayments } from './export-payments.tsx'
import { PaymentTable, SearchResults } from './payment-table.tsx'

const PHASES: readonly PaymentPhase[] = [
  'IN_PROGRESS',
  'SUCCEEDED',
  'FAILED',
  'EXPIRED',
  'REFUNDING',
  'REFUNDED',
  'DISPUTED',
]

const DUPLICATES = ['OPEN'] as const

/** Payments: those that a text finds, or all, newest first, filtered by phase and by time of the last change. */
export function Payments({ route }: { readonly route: Route }) {
  const { params } = route
  const text = params.get('q')
  return (
    <Page title="Payments">
      <p>
        <a href={hrefOf('payments', null, { duplicate: 'OPEN' })}>Unresolved duplicate payments</a>
      </p>
      <FilterForm route={route} label="Search payments" action="Search" isClearable={text !== null}>
        <SearchField name="q" label="Reference, id, link, payer’s name or e-mail" params={params} />
      </FilterForm>
      {text === null ? <PaymentList route={route} /> : <SearchResults text={text} />}
    </Page>
  )
}

function PaymentList({ route }: { readonly route: Route }) {
  const { params } = route
  const filter = filterIn(params)
  const variables = { first: PAGE, after: params.get('after'), filter }
  const list = useAnswer(PaymentsDocument, variables, { concerns: ANY_EVENT })
  const rows = list.data?.payments?.nodes ?? []
  const page = list.data?.payments?.pageInfo
  return (
    <>
      <FilterForm route={route} label="Payments">
        <InstantField name="from" label="Updated from" params={params} />
        <InstantField name="before" label="Updated before" params={params} />
        <Choices name="phase" label="Phase" params={params} values={PHASES} />
        <Choices name="duplicate" label="Duplicate" params={params} values={DUPLICATES} />
      </FilterForm>
      <AnswerFailure of={list} />
      {rows.length > 0 ? <PaymentTable rows={rows} /> : <Waiting of={list} what="payments" more={page?.hasNextPage} />}
      {page !== undefined && <Pager route={route} page={page} isFull={rows.length === PAGE} />}
      <ExportPayments filter={filter} />
    </>
  )
}

function filterIn(params: URLSearchParams) {
  return {
    updatedFrom: instantOf(params, 'from'),
    updatedBefore: instantOf(params, 'before'),
    phases: filterOf(params, 'phase', PHASES),
    duplicate: chosenOf(params, 'duplicate', DUPLICATES).length === 0 ? null : true,
  }
}
