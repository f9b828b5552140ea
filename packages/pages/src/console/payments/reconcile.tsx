import { useMutation } from '@urql/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { ReconcileDocument } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'

/** Reads a payment or a link from the payments API now. Returns the button for the head, and what came of it. */
export function useReconcile(id: string, onDone: () => void) {
  const [{ error }, execute] = useMutation(documentOf(ReconcileDocument))
  const [said, setSaid] = useState<Awaited<ReturnType<typeof execute>>['data']>()
  const result = said?.refreshPayment

  const [isBusy, reconcile] = useSingle(async () => {
    const { data } = await execute({ id })
    setSaid(data)
    onDone()
  })

  const button = (
    <button class="button" type="button" aria-busy={isBusy} disabled={isBusy} data-key="e" onClick={reconcile}>
      {!isBusy && <Icon name="refresh" />}
      <span>Reconcile now</span>
    </button>
  )
  const outcome = (
    <>
      <p class="outcome" role="status">
        {result?.__typename === 'RefreshPaymentSuccess' && !isBusy && outcomeText(result.changed)}
      </p>
      <RequestFailure error={error} />
      {result !== undefined && result !== null && 'code' in result && <FailureNotice failure={result} />}
    </>
  )
  return { button, outcome }
}

function outcomeText(changed: boolean): string {
  return changed
    ? 'The payments API was read, and something had changed.'
    : 'The payments API was read: nothing had changed.'
}
