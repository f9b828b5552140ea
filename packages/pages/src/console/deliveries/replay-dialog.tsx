import { useMutation } from '@urql/preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { ReplayDeliveryDocument, type ReplayDeliveryMutation } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Dialog } from '../pieces/dialog.tsx'
import { lookOfRaw } from '../pieces/history.tsx'
import { Fact, Facts } from '../pieces/page.tsx'
import { Status } from '../pieces/values.tsx'
import type { Subject } from './delivery-subject.tsx'

type Props = {
  readonly deliveryId: string
  readonly subject: Subject | null
  readonly onClose: () => void
}
type Result = NonNullable<ReplayDeliveryMutation['replayWebhookDelivery']>
type Success = Extract<Result, { readonly __typename: 'ReplayWebhookDeliverySuccess' }>

/** Replays a delivery: first as a dry run that shows the result, then for good. */
export function ReplayDialog({ deliveryId, subject, onClose }: Props) {
  const [{ error }, execute] = useMutation(documentOf(ReplayDeliveryDocument))
  const [result, setResult] = useState<Result | null>(null)
  const [isBusy, replay] = useSingle(async (apply: boolean) => {
    const { data } = await execute({ input: { deliveryId, apply } })
    setResult(data?.replayWebhookDelivery ?? null)
  })
  useEffect(() => replay(false), [])
  const plan = result?.__typename === 'ReplayWebhookDeliverySuccess' ? result : null

  return (
    <Dialog
      title={plan?.applied === true ? 'The delivery was replayed' : 'Replay this delivery?'}
      isBusy={isBusy}
      onClose={onClose}
    >
      <RequestFailure error={error} />
      <div role="status">
        {result === null && isBusy && <p class="note">Checking what a replay would change …</p>}
        {plan !== null && <Consequences of={plan} subject={subject} />}
      </div>
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
      <div class="actions">
        <button class="button quiet" type="button" disabled={isBusy} onClick={onClose}>
          {plan === null || plan.applied ? 'Close' : 'Cancel'}
        </button>
        {plan?.applied === false && (
          <button type="button" class="button primary" disabled={isBusy} onClick={() => replay(true)}>
            <Icon name="play" />
            <span>Replay the delivery</span>
          </button>
        )}
      </div>
    </Dialog>
  )
}

function Consequences({ of, subject }: { readonly of: Success; readonly subject: Subject | null }) {
  const { applied, dispositionBefore, dispositionAfter, statusBefore, statusAfter, readRequested } = of
  return (
    <>
      {!applied && <p>Nothing has been changed yet. The replay would change:</p>}
      <Facts>
        <Fact name="Delivery">
          <Status kind="PaymentWebhookDisposition" of={dispositionBefore} /> <Icon name="arrow" class="inline" />
          <span class="hidden-text"> to </span> <Status kind="PaymentWebhookDisposition" of={dispositionAfter} />
        </Fact>
        <Fact name={subject?.kind ?? 'Subject'}>{subject?.name}</Fact>
        <Fact name="Status">
          {wordOf(subject, statusBefore)} <Icon name="arrow" class="inline" />
          <span class="hidden-text"> to </span> {wordOf(subject, statusAfter)}
        </Fact>
        <Fact name="The payments API">
          {readRequested ? 'is read at once, and confirms or corrects the status' : 'is not read'}
        </Fact>
      </Facts>
      {!applied && <p class="note">Everyone who follows the subject is notified, as if the webhook arrived now.</p>}
    </>
  )
}

function wordOf(subject: Subject | null, raw: string | null): string {
  return raw === null ? 'Unknown' : lookOfRaw(subject?.prefix ?? '', raw).word
}
