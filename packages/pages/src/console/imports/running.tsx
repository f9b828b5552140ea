import { useMutation } from '@urql/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { CancelImportDocument, type CancelImportMutation } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Bar } from '../pieces/bars.tsx'
import { Moment } from '../pieces/moments.tsx'
import { daysText, foundText } from './import-result.ts'

type Running = Parameters<typeof foundText>[0] &
  Parameters<typeof daysText>[0] & {
    readonly id: string
    readonly progress: number
    readonly requestedBy: string | null
    readonly requestedAt: string
  }

type Props = { readonly of: Running; readonly onCancelled: () => void }

/** A comparison that runs: how far it is, and a button that cancels it. */
export function RunningImport({ of: running, onCancelled }: Props) {
  const { id, progress, requestedBy, requestedAt } = running
  const [{ error }, execute] = useMutation(documentOf(CancelImportDocument))
  const [result, setResult] = useState<CancelImportMutation['cancelPaymentImport']>(null)
  const [isBusy, cancel] = useSingle(async () => {
    const { data } = await execute({ id })
    setResult(data?.cancelPaymentImport ?? null)
    onCancelled()
  })
  const title = `run-${id}`
  return (
    <section class="card running" aria-labelledby={title}>
      <div class="row wrap">
        <h2 id={title}>Comparing {daysText(running)}</h2>
        <span class="faint small">
          started {requestedBy !== null && `by ${requestedBy} `}
          <Moment at={requestedAt} />
        </span>
        <span class="row push">
          <button class="button" type="button" disabled={isBusy} onClick={cancel}>
            <Icon name="close" />
            <span>Cancel</span>
          </button>
        </span>
      </div>
      <ul class="bars">
        <Bar name={`${foundText(running)} so far`} figure={`${progress} %`} part={progress / 100} tone="now" />
      </ul>
      <RequestFailure error={error} />
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
    </section>
  )
}
