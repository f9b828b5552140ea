import { useMutation } from '@urql/preact'
import { useState, useEffect } from 'preact/hooks'
import { DeliveryNowDocument, ReplayDeliveryDocument, type ReplayDeliveryMutation } from '../generated/graphql.ts'
import {
  AnswerFailure,
  ANY_EVENT,
  useAnswer,
  documentOf,
  FailureNotice,
  RequestFailure,
  useSingle,
} from '../pieces/answers.tsx'
import { Dialog } from '../pieces/dialog.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Needs, Page, Waiting } from '../pieces/page.tsx'
import { Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import { useScope } from '../session/session.ts'
import { Subject, bodyText, quarantineText } from './deliveries.tsx'

/** One received webhook, its outcome, and a button to replay it. */
export function Delivery({ id }: { readonly id: string }) {
  const [isReplaying, setReplaying] = useState(false)
  const variables = { id, risk: useScope('payments:risk') }
  const answer = useAnswer(DeliveryNowDocument, variables, { concerns: ANY_EVENT })
  const delivery = answer.data?.webhookDelivery ?? null

  return (
    <Page title="Delivery" in="deliveries">
      <AnswerFailure of={answer} />
      {delivery === null ? (
        <Waiting of={answer} what={`deliveries with the id ${id}`} />
      ) : (
        <>
          <Facts>
            <Fact name="Disposition">
              <Status kind="PaymentWebhookDisposition" of={delivery.disposition} />
            </Fact>
            <Fact name="Reason">{delivery.quarantineReason && quarantineText(delivery.quarantineReason)}</Fact>
            <Fact name="Subject">
              <Subject of={delivery} />
            </Fact>
            <Fact name="Status">{delivery.statusRaw}</Fact>
            <Fact name="Event">
              {delivery.event && `${delivery.event.sequence}: ${delivery.event.toStatus ?? 'details'}`}
            </Fact>
            <Fact name="Link of the webhook URL">
              {delivery.link && <a href={hrefOf('links', delivery.link.id)}>{delivery.link.id}</a>}
            </Fact>
            <Fact name="Correlation id of the webhook URL">{delivery.ref ?? 'the default webhook URL'}</Fact>
            <Fact name="Attempts">{delivery.attempts}</Fact>
            <Fact name="First received">
              <Moment at={delivery.firstReceivedAt} />
            </Fact>
            <Fact name="Last received">
              <Moment at={delivery.lastReceivedAt} />
            </Fact>
            <Fact name="Id">
              <code>{delivery.id}</code>
            </Fact>
          </Facts>
          <h2>Body</h2>
          <Needs scopes={['payments:risk']} what="Bodies">
            {delivery.body ? (
              <pre class="code" role="group" aria-label="Body" tabIndex={0}>
                {bodyText(delivery.body)}
              </pre>
            ) : (
              <p class="note">The body was not stored.</p>
            )}
          </Needs>
          <h2>Actions</h2>
          <Needs scopes={['webhooks:replay']} what="Replays">
            <button class="button" type="button" onClick={() => setReplaying(true)}>
              Replay …
            </button>
            {isReplaying && (
              <ReplayDialog
                deliveryId={delivery.id}
                onClose={() => {
                  setReplaying(false)
                  answer.askAgain()
                }}
              />
            )}
          </Needs>
        </>
      )}
    </Page>
  )
}

type Props = { readonly deliveryId: string; readonly onClose: () => void }
type Result = NonNullable<ReplayDeliveryMutation['replayWebhookDelivery']>
type Success = Extract<Result, { readonly __typename: 'ReplayWebhookDeliverySuccess' }>

/** Replays a delivery: first as a dry run that shows the result, then for good. */
function ReplayDialog({ deliveryId, onClose }: Props) {
  const [{ error }, execute] = useMutation(documentOf(ReplayDeliveryDocument))
  const [result, setResult] = useState<Result | null>(null)
  const [isBusy, replay] = useSingle(async (apply: boolean) => {
    const { data } = await execute({ input: { deliveryId, apply } })
    setResult(data?.replayWebhookDelivery ?? null)
  })
  useEffect(() => replay(false), [])

  return (
    <Dialog title="Replay delivery" isBusy={isBusy} onClose={onClose}>
      <RequestFailure error={error} />
      <div role="status">
        {result === null && isBusy && <p class="note">Checking what a replay would change …</p>}
        {result?.__typename === 'ReplayWebhookDeliverySuccess' && <Consequences of={result} />}
      </div>
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
      <div class="actions">
        {result?.__typename === 'ReplayWebhookDeliverySuccess' && !result.applied && (
          <button type="button" class="button danger" disabled={isBusy} onClick={() => replay(true)}>
            Apply
          </button>
        )}
        <button class="button" type="button" disabled={isBusy} onClick={onClose}>
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
      <p>{applied ? 'The delivery was applied.' : 'Nothing has changed yet. Applying the delivery would change:'}</p>
      <Facts>
        <Fact name="Disposition">
          <Status kind="PaymentWebhookDisposition" of={dispositionBefore} /> →{' '}
          <Status kind="PaymentWebhookDisposition" of={dispositionAfter} />
        </Fact>
        <Fact name="Status">{`${statusBefore ?? 'unknown'} → ${statusAfter ?? 'unknown'}`}</Fact>
        <Fact name="The payments API">{readRequested ? 'is read, and decides' : 'is not read'}</Fact>
      </Facts>
    </>
  )
}
