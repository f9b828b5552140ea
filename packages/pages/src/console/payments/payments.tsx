import { useContext, useEffect, useState } from 'preact/hooks'
import { PaymentsDocument, PaymentsInNeedDocument } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import {
  ApplyButton,
  Chip,
  Choices,
  FilterForm,
  PeriodChip,
  SearchField,
  TextChip,
  TextField,
} from '../pieces/filter-form.tsx'
import { AttentionContext } from '../pieces/head/attention.ts'
import { PAGE } from '../pieces/list.tsx'
import { Page, Pager, Tabs, Waiting } from '../pieces/page.tsx'
import { lookOf } from '../pieces/statuses.ts'
import { hrefOf, type Route } from '../routes/route.ts'
import { useScope } from '../session/session.ts'
import { ExportPayments } from './export-payments.tsx'
import { DUPLICATES, filterIn, PHASES, STATUS_NAMES } from './payment-filter.ts'
import { type PaymentRow, PaymentTable, SearchResults } from './payment-table.tsx'
import { SavedViews } from './saved-views.tsx'
import { Selection, Totals } from './totals.tsx'

/** Payments: those that a text finds, or all, newest change first, filtered. */
export function Payments({ route }: { readonly route: Route }) {
  const { params } = route
  const text = params.get('q')
  const isInNeed = params.has('attention')
  return (
    <Page
      title="Payments"
      actions={
        <>
          <SavedViews params={params} />
          <ExportPayments filter={filterIn(params)} />
        </>
      }
    >
      <PhaseTabs route={route} />
      <FilterForm
        route={route}
        label="Payments"
        alone="q"
        search={<SearchField name="q" label="Reference, id, link, payer’s name or e-mail" params={params} />}
      >
        {text === null && !isInNeed && <PaymentChips params={params} />}
      </FilterForm>
      {text !== null ? <SearchResults key={text} text={text} /> : isInNeed ? <InNeed /> : <PaymentList route={route} />}
    </Page>
  )
}

/** The phases as tabs, and those that need a person. */
function PhaseTabs({ route: { params } }: { readonly route: Route }) {
  const inNeed = useContext(AttentionContext).payments ?? null
  const phases = params.get('phase')
  const others = { ...Object.fromEntries(params), after: null, q: null, attention: null }
  const isAll = phases === null && !params.has('attention') && !params.has('q')
  return (
    <Tabs
      label="Phases"
      tabs={[
        { name: 'All', href: hrefOf('payments', null, { ...others, phase: null }), isCurrent: isAll },
        {
          name: 'Needs attention',
          href: hrefOf('payments', null, { attention: 'YES' }),
          isCurrent: params.has('attention'),
          count: inNeed,
        },
        ...PHASES.map((phase) => ({
          name: lookOf('PaymentPhase', phase).word,
          href: hrefOf('payments', null, { ...others, phase }),
          isCurrent: phases === phase,
        })),
      ]}
    />
  )
}

function PaymentChips({ params }: { readonly params: URLSearchParams }) {
  const [currency, min, max] = ['currency', 'min', 'max'].map((name) => params.get(name))
  const range = [min && `from ${min}`, max && `to ${max}`, currency].filter(Boolean).join(' ')
  return (
    <>
      <PeriodChip label="Changed" params={params} />
      <PeriodChip label="Created" params={params} names={['since', 'until']} />
      <Choices
        name="status"
        label="Status"
        params={params}
        values={STATUS_NAMES}
        word={(value) => lookOf('PayinStatus', value, 'Unrecognised').word}
      />
      <Chip label="Amount" names={['currency', 'min', 'max']} value={range === '' ? null : range}>
        <div class="fields">
          <TextField name="currency" label="Currency, for example AUD" params={params} />
          <TextField name="min" label="At least" params={params} />
          <TextField name="max" label="At most" params={params} />
        </div>
        <ApplyButton />
      </Chip>
      <TextChip name="method" label="Method" params={params} />
      <TextChip name="last4" label="Last four" params={params} />
      <TextChip name="site" label="Site" params={params} />
      <Choices name="duplicate" label="Paid twice" params={params} values={DUPLICATES} word={() => 'Not resolved'} />
    </>
  )
}

function PaymentList({ route }: { readonly route: Route }) {
  const { params } = route
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: filterIn(params),
    pii: useScope('payments:pii'),
  }
  const answer = useAnswer(PaymentsDocument, variables, { concerns: ANY_EVENT })
  const rows = answer.data?.payments?.nodes ?? []
  const page = answer.data?.payments?.pageInfo
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setPicked(new Set()), [params.toString()])
  const selected = rows.filter(({ id }) => picked.has(id))
  return (
    <>
      <AnswerFailure of={answer} />
      <section class="card rows" aria-busy={answer.isOld} aria-label="Newest change first">
        {rows.length > 0 &&
          (selected.length > 0 ? (
            <Selection rows={selected} onClear={() => setPicked(new Set())} />
          ) : (
            <Totals filter={variables.filter} rows={rows} />
          ))}
        {rows.length > 0 ? (
          <PaymentTable rows={rows} selection={{ picked, onPick: setPicked }} />
        ) : (
          <Waiting of={answer} what="payments" more={page?.hasNextPage} />
        )}
      </section>
      {page !== undefined && <Pager route={route} page={page} isFull={rows.length === PAGE} />}
    </>
  )
}

/** Disputed payments, refunds that did not succeed, and payments that were made twice. */
function InNeed() {
  const answer = useAnswer(PaymentsInNeedDocument, { pii: useScope('payments:pii') }, { concerns: ANY_EVENT })
  const { troubled, duplicates } = answer.data ?? {}
  const all: readonly PaymentRow[] = [...(troubled?.nodes ?? []), ...(duplicates?.nodes ?? [])]
  const rows = [...new Map(all.map((row) => [row.id, row])).values()].toSorted(
    (a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt),
  )
  return (
    <>
      <AnswerFailure of={answer} />
      <section class="card rows" aria-busy={answer.isOld} aria-label="Needs attention">
        {rows.length > 0 ? <PaymentTable rows={rows} /> : <Waiting of={answer} what="payments that need attention" />}
      </section>
    </>
  )
}
