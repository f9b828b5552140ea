import { useMutation } from '@urql/preact'
import { useEffect, useState } from 'preact/hooks'
import { ReplayDeliveryDocument, type ReplayDeliveryMutation } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Dialog } from '../pieces/dialog.tsx'
import { Fact, Facts } from '../pieces/page.tsx'
import { Status } from '../pieces/values.tsx'

type Props = { readonly deliveryId: string; readonly onClose: () => void }
type Result = NonNullable<ReplayDeliveryMutation['replayWebhookDelivery']>
type Success = Extract<Result, { readonly __typename: 'ReplayWebhookDeliverySuccess' }>

/** Replays a delivery: first as a dry run that shows the result, then for good. */
export function ReplayDialog({ deliveryId, onClose }: Props) {
  const [{ error }, execute] = useMutation(documentOf(ReplayDeliveryDocument))
  const [result, setResult] = useState<Result | null>(null)
  const [isBusy, replay] = useSingle(async (apply: boolean) => {
    const { data } = await execute({ input: { deliveryId, apply } })
    setResult(data?.replayWebhookDelivery ?? null)
  })
  useEffect(() => replay(false), [])

  return (
    <Dialog title="Decide a delivery anew" isBusy={isBusy} onClose={onClose}>
      <RequestFailure error={error} />
      <div role="status">
        {result === null && isBusy && <p class="quiet">Looking what would come of it …</p>}
        {result?.__typename === 'ReplayWebhookDeliverySuccess' && <Consequences of={result} />}
      </div>
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
      <div class="actions">
        {result?.__typename === 'ReplayWebhookDeliverySuccess' && !result.applied && (
          <button type="button" class="danger" disabled={isBusy} onClick={() => replay(true)}>
            Apply it
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function Consequences({ of }: { readonly of: Success }) {
  const { applied, dispositionBefore, dispositionAfter, statusBefore, statusAfter, readRequested } = of
  return (
    <>
      <p>{applied ? 'It was applied.' : 'Nothing has been changed yet. If it is applied:'}</p>
      <Facts>
        <Fact name="Disposition">
          <Status of={dispositionBefore} /> → <Status of={dispositionAfter} />
        </Fact>
        <Fact name="Status">{`${statusBefore ?? 'unknown'} → ${statusAfter ?? 'unknown'}`}</Fact>
        <Fact name="The payments API">{readRequested ? 'is read, and decides' : 'is not read'}</Fact>
      </Facts>
    </>
  )
}
