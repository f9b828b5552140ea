import { useMutation } from '@urql/preact'
import { useState } from 'preact/hooks'
import { ImportPaymentsDocument, type ImportPaymentsMutation } from '../generated/graphql.ts'
import { documentOf } from '../pieces/document.ts'
import { FailureNotice, RequestFailure } from '../pieces/failures.tsx'
import { useSingle } from '../pieces/use-single.ts'
import { goTo, hrefOf } from '../routes/route.ts'

type Result = NonNullable<ImportPaymentsMutation['importPayments']>

/** A form for the interval of an import, which is shown once it is begun. Both fields are in the user's time zone. */
export function BeginImport() {
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
        class="filters"
        aria-label="Begin an import"
        onSubmit={(event) => {
          event.preventDefault()
          const { submitter } = event
          begin(event.currentTarget, !(submitter instanceof HTMLButtonElement && submitter.value === 'record'))
        }}
      >
        <label>
          Made from
          <input type="datetime-local" name="from" required />
        </label>
        <label>
          Made until (empty: now)
          <input type="datetime-local" name="to" />
        </label>
        <div class="actions">
          <button class="primary" value="compare" disabled={isBusy}>
            Compare only
          </button>
          <button class="danger" value="record" disabled={isBusy}>
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
