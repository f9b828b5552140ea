import { useState } from 'preact/hooks'
import { DeliveryNowDocument } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Fact, Facts, Needs, Page, Waiting } from '../pieces/page.tsx'
import { Moment, Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import { useScope } from '../session/session.ts'
import { Subject } from './delivery-table.tsx'
import { bodyText, quarantineText } from './delivery-text.ts'
import { ReplayDialog } from './replay-dialog.tsx'

/** One received webhook, its outcome, and a button to replay it. */
export function Delivery({ id }: { readonly id: string }) {
  const [isReplaying, setReplaying] = useState(false)
  const variables = { id, risk: useScope('payments:risk') }
  const answer = useAnswer(DeliveryNowDocument, variables, { concerns: ANY_EVENT })
  const delivery = answer.data?.webhookDelivery ?? null

  return (
    <Page title="Delivery">
      <AnswerFailure of={answer} />
      {delivery === null ? (
        <Waiting of={answer} what={`deliveries with the id ${id}`} />
      ) : (
        <>
          <Facts>
            <Fact name="Disposition">
              <Status of={delivery.disposition} />
            </Fact>
            <Fact name="Why">{delivery.quarantineReason && quarantineText(delivery.quarantineReason)}</Fact>
            <Fact name="About">
              <Subject of={delivery} />
            </Fact>
            <Fact name="Status">{delivery.statusRaw}</Fact>
            <Fact name="Event">
              {delivery.event && `${delivery.event.sequence}: ${delivery.event.toStatus ?? 'details'}`}
            </Fact>
            <Fact name="Address of the link">
              {delivery.link && <a href={hrefOf('links', delivery.link.id)}>{delivery.link.id}</a>}
            </Fact>
            <Fact name="Correlation id of the address">{delivery.ref ?? 'the default address'}</Fact>
            <Fact name="Attempts">{delivery.attempts}</Fact>
            <Fact name="First came">
              <Moment at={delivery.firstReceivedAt} />
            </Fact>
            <Fact name="Last came">
              <Moment at={delivery.lastReceivedAt} />
            </Fact>
            <Fact name="Id">
              <code>{delivery.id}</code>
            </Fact>
          </Facts>
          <h2>Body</h2>
          <Needs scopes={['payments:risk']} what="Bodies">
            {delivery.body ? (
              <pre class="scroll" role="group" aria-label="Body" tabIndex={0}>
                {bodyText(delivery.body)}
              </pre>
            ) : (
              <p class="quiet">Nothing of it is kept.</p>
            )}
          </Needs>
          <h2>Actions</h2>
          <Needs scopes={['webhooks:replay']} what="Replays">
            <button type="button" onClick={() => setReplaying(true)}>
              Decide it anew …
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
