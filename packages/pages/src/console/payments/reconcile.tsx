import { useMutation } from '@urql/preact'
import { useState } from 'preact/hooks'
import { ReconcileDocument } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'

type Props = { readonly id: string; readonly onDone: () => void }

/** Reads a payment or a link from the payments API now, and shows whether anything changed. */
export function Reconcile({ id, onDone }: Props) {
  const [{ error }, execute] = useMutation(documentOf(ReconcileDocument))
  const [said, setSaid] = useState<Awaited<ReturnType<typeof execute>>['data']>()
  const result = said?.refreshPayment

  const [isBusy, reconcile] = useSingle(async () => {
    const { data } = await execute({ id })
    setSaid(data)
    onDone()
  })

  return (
    <>
      <p>
        <button type="button" disabled={isBusy} onClick={reconcile}>
          Reconcile now
        </button>{' '}
        <span role="status">
          {result?.__typename === 'RefreshPaymentSuccess' && !isBusy && outcomeText(result.changed)}
        </span>
      </p>
      <RequestFailure error={error} />
      {result !== undefined && result !== null && 'code' in result && <FailureNotice failure={result} />}
    </>
  )
}

function outcomeText(changed: boolean): string {
  return changed
    ? 'The payments API was read, and something had changed.'
    : 'The payments API was read: nothing had changed.'
}
