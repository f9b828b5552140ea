import { useMutation } from '@urql/preact'
import { useState } from 'preact/hooks'
import {
  ImportsDocument,
  type ImportsQuery,
  ImportPaymentsDocument,
  type ImportPaymentsMutation,
} from '../generated/graphql.ts'
import { AnswerFailure, useAnswer, documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, Waiting, Pager, Row, Table } from '../pieces/page.tsx'
import { Status } from '../pieces/values.tsx'
import { hrefOf, type Route, goTo } from '../routes/route.ts'

const PAGE = 20
const COLUMNS = ['Import', 'State', 'Created from', 'Created until', 'Mode', 'Started by']
const EVERY_MS = 3_000

type Listed = NonNullable<ImportsQuery['paymentImports']>['nodes'][number]

/** The comparisons of the payments API's lists with the record, newest first, and a form that begins one. */
export function Imports({ route }: { readonly route: Route }) {
  const variables = { first: PAGE, after: route.params.get('after') }
  const answer = useAnswer(ImportsDocument, variables, { everyMs: EVERY_MS })
  const list = answer.data?.paymentImports ?? null
  const rows = list?.nodes ?? []
  return (
    <Page title="Reconciliation">
      <BeginImport />
      <AnswerFailure of={answer} />
      {rows.length === 0 ? (
        <Waiting of={answer} what="imports" />
      ) : (
        <Table caption="Imports" columns={COLUMNS}>
          {rows.map((one) => (
            <ImportRow key={one.id} of={one} />
          ))}
        </Table>
      )}
      {list !== null && <Pager route={route} page={list.pageInfo} isFull={rows.length === PAGE} />}
    </Page>
  )
}

function ImportRow({ of: one }: { readonly of: Listed }) {
  const { id, from, to, dryRun, daily, state, progress, requestedBy, requestedAt } = one
  return (
    <Row href={hrefOf('imports', id)} name={`Import ${id}`}>
      <td>
        <Status kind="PaymentsJobState" of={state} />
        {state === 'RUNNING' && ` ${progress} %`}
      </td>
      <td>
        <Moment at={from} />
      </td>
      <td>
        <Moment at={to} />
      </td>
      <td>{dryRun ? 'Compares only' : 'Records what is missing'}</td>
      <td>
        {daily ? 'Schedule' : (requestedBy ?? '–')}, <Moment at={requestedAt} />
      </td>
    </Row>
  )
}

type Result = NonNullable<ImportPaymentsMutation['importPayments']>

/** A form for the interval of an import, which is shown once it is begun. Both fields are in the user's time zone. */
function BeginImport() {
  const [{ error }, execute] = useMutation(documentOf(ImportPaymentsDocument))
  const [result, setResult] = useState<Result | null>(null)
  const [isBusy, begin] = useSingle(async (form: HTMLFormElement, dryRun: boolean) => {
    const fields = new FormData(form)
    const from = instantOf(fields.get('from'))
    const to = instantOf(fields.get('to')) ?? new Date().toISOString()
    const { data } = await execute({ input: { from: from ?? to, to, dryRun } })
    const said = data?.importPayments ?? null
    setResult(said)
    if (said?.__typename === 'ImportPaymentsSuccess') goTo(hrefOf('imports', said.import.id))
  })

  return (
    <>
      <form
        class="fields"
        aria-label="Start an import"
        onSubmit={(event) => {
          event.preventDefault()
          const { submitter } = event
          begin(event.currentTarget, !(submitter instanceof HTMLButtonElement && submitter.value === 'record'))
        }}
      >
        <label>
          Created from
          <input class="input" type="datetime-local" name="from" required />
        </label>
        <label>
          Created until (empty: now)
          <input class="input" type="datetime-local" name="to" />
        </label>
        <div class="actions">
          <button class="button primary" value="compare" disabled={isBusy}>
            Compare only
          </button>
          <button class="button danger" value="record" disabled={isBusy}>
            Record what is missing
          </button>
        </div>
      </form>
      <RequestFailure error={error} />
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
    </>
  )
}

function instantOf(text: FormDataEntryValue | null): string | null {
  const at = new Date(typeof text === 'string' ? text : '')
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
