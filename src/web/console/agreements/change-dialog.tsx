import { useMutation } from '@urql/preact'
import { useRef, useState } from 'preact/hooks'
import {
  ChangeAgreementDocument,
  type AgreementStatusChange,
  type ChangeAgreementMutation,
} from '../generated/graphql.ts'
import { amountText } from '../pieces/amount.tsx'
import { Dialog } from '../pieces/dialog.tsx'
import { documentOf } from '../pieces/document.ts'
import { Fact, Facts } from '../pieces/facts.tsx'
import { FailureNotice, RequestFailure } from '../pieces/failures.tsx'
import { newKey } from '../pieces/new-key.ts'
import { useSingle } from '../pieces/use-single.ts'
import type { AgreementNow } from './agreement.tsx'

export type Change = {
  readonly status: AgreementStatusChange
  readonly name: string
  /** The effect of the change, as a sentence. */
  readonly consequence: string
}

type Props = { readonly agreement: AgreementNow; readonly change: Change; readonly onClose: () => void }
type Result = NonNullable<ChangeAgreementMutation['changePaymentAgreementStatus']>

/** Confirms a change of an agreement. The idempotency key is created once per dialog, so that the change is made only once. */
export function ChangeDialog({ agreement, change, onClose }: Props) {
  const key = useRef(newKey()).current
  const [{ error }, execute] = useMutation(documentOf(ChangeAgreementDocument))
  const [result, setResult] = useState<Result | null>(null)
  const isDone = result?.__typename === 'PaymentAgreementSuccess'
  const [isBusy, send] = useSingle(async () => {
    const { data } = await execute({ input: { idempotencyKey: key, id: agreement.id, status: change.status } })
    setResult(data?.changePaymentAgreementStatus ?? null)
  })

  return (
    <Dialog title={`${change.name} the agreement`} isBusy={isBusy} onClose={onClose}>
      <Facts>
        <Fact name="Agreement">{agreement.clientTransactionId}</Fact>
        <Fact name="What for">{agreement.description}</Fact>
        <Fact name="Limit">{amountText(agreement.limit)}</Fact>
      </Facts>
      <p>{change.consequence}</p>
      <RequestFailure error={isBusy ? undefined : error} />
      <div role="status">
        {result?.__typename === 'PaymentAgreementSuccess' && (
          <p class="notice good">It was asked for. The agreement is {result.agreement.statusRaw} now.</p>
        )}
      </div>
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
      <div class="actions">
        {!isDone && (
          <button type="button" class="danger" disabled={isBusy} onClick={send}>
            {change.name} it
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
