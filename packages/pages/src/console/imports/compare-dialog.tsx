import { useMutation } from '@urql/preact'
import { useState } from 'preact/hooks'
import { ImportPaymentsDocument, type ImportPaymentsMutation } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Dialog } from '../pieces/dialog.tsx'
import { goTo, hrefOf } from '../routes/route.ts'

type Result = NonNullable<ImportPaymentsMutation['importPayments']>

/** Starts comparisons, and shows each when it has begun. Returns the failure of the last one. */
export function useCompare() {
  const [{ error }, execute] = useMutation(documentOf(ImportPaymentsDocument))
  const [result, setResult] = useState<Result | null>(null)
  const [isBusy, compare] = useSingle(async (input: { from: string; to: string; dryRun: boolean }) => {
    const { data } = await execute({ input })
    const said = data?.importPayments ?? null
    setResult(said)
    if (said?.__typename === 'ImportPaymentsSuccess') goTo(hrefOf('imports', said.import.id))
  })
  const failure = (
    <>
      <RequestFailure error={error} />
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
    </>
  )
  return { isBusy, compare, failure }
}

/** Asks for the interval of a comparison. Both fields are in the user's time zone. */
export function CompareDialog({ onClose }: { readonly onClose: () => void }) {
  const { isBusy, compare, failure } = useCompare()
  return (
    <Dialog title="Compare days" isBusy={isBusy} onClose={onClose}>
      <p>The payments API’s lists are read and compared with the record.</p>
      <form
        aria-label="Compare days"
        onSubmit={(event) => {
          event.preventDefault()
          const { submitter, currentTarget } = event
          const fields = new FormData(currentTarget)
          const to = instantOf(fields.get('to')) ?? new Date().toISOString()
          const isRecorded = submitter instanceof HTMLButtonElement && submitter.value === 'record'
          compare({ from: instantOf(fields.get('from')) ?? to, to, dryRun: !isRecorded })
        }}
      >
        <label class="field">
          <span class="label">Created from</span>
          <input class="input" type="datetime-local" name="from" required />
        </label>
        <label class="field">
          <span class="label">Created until (empty: now)</span>
          <input class="input" type="datetime-local" name="to" />
        </label>
        {failure}
        <div class="actions">
          <button class="button" value="record" disabled={isBusy}>
            Compare and record what is missing
          </button>
          <button class="button primary" value="compare" disabled={isBusy}>
            Compare only
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function instantOf(text: FormDataEntryValue | null): string | null {
  const at = new Date(typeof text === 'string' ? text : '')
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
