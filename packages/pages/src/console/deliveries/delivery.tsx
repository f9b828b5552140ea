import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { DeliveryNowDocument, type DeliveryNowQuery } from '../generated/graphql.ts'
import { useReconcile } from '../payments/reconcile.tsx'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { lookOfRaw } from '../pieces/history.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Banner, Fact, Facts, Needs, Page, Waiting } from '../pieces/page.tsx'
import { lookOf } from '../pieces/statuses.ts'
import { Id, Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import { useScope } from '../session/session.ts'
import { DeliveryDifference } from './delivery-difference.tsx'
import { DeliverySubject, subjectOf } from './delivery-subject.tsx'
import { adviceFor, bodyText, outcomeText } from './delivery-words.ts'
import { ReplayDialog } from './replay-dialog.tsx'

type DeliveryNow = NonNullable<DeliveryNowQuery['webhookDelivery']>

/** One received webhook: its outcome and why, what it changed, its body, and its replay. */
export function Delivery({ id }: { readonly id: string }) {
  const [isReplaying, setReplaying] = useState(false)
  const variables = { id, risk: useScope('payments:risk') }
  const answer = useAnswer(DeliveryNowDocument, variables, { concerns: ANY_EVENT })
  const delivery = answer.data?.webhookDelivery ?? null
  const obstacle = useObstacle(delivery)
  const subject = delivery && subjectOf(delivery)

  return (
    <Page
      title={`Delivery ${id}`}
      in="deliveries"
      heading={
        delivery === null ? (
          <span class="amount large">{id}</span>
        ) : (
          <>
            <span>
              {delivery.statusRaw === null ? 'No status' : lookOfRaw(subject?.prefix ?? '', delivery.statusRaw).word}
            </span>{' '}
            <Status kind="PaymentWebhookDisposition" of={delivery.disposition} isFilled />
          </>
        )
      }
      about={delivery && <DeliverySubject of={delivery} />}
      actions={
        <button
          class="button"
          type="button"
          aria-disabled={obstacle !== null}
          aria-describedby="no-replay"
          onClick={() => setReplaying(obstacle === null)}
        >
          <Icon name="play" />
          <span>Replay …</span>
        </button>
      }
    >
      <p class="small faint obstacle" id="no-replay">
        {delivery !== null && obstacle}
      </p>
      <AnswerFailure of={answer} />
      {delivery === null && <Waiting of={answer} what={`deliveries with the id ${id}`} />}
      {delivery !== null && (
        <>
          <Outcome of={delivery} onReconciled={answer.askAgain} />
          <div class="beside">
            <div class="stack-5">
              <DeliveryDifference of={delivery} />
              <Body of={delivery} />
            </div>
            <DeliveryFacts of={delivery} keys={answer.data?.signingKeys ?? []} />
          </div>
          {isReplaying && (
            <ReplayDialog
              deliveryId={delivery.id}
              subject={subject}
              onClose={() => {
                setReplaying(false)
                answer.askAgain()
              }}
            />
          )}
        </>
      )}
    </Page>
  )
}

/** Returns why a delivery cannot be replayed now; null if it can. */
function useObstacle(delivery: DeliveryNow | null): string | null {
  const mayReplay = useScope('webhooks:replay')
  if (!mayReplay) return 'Replays: unavailable. The token lacks webhooks:replay.'
  if (delivery?.quarantineReason === 'MISADDRESSED')
    return 'It is never replayed: its body is about another subject than its webhook URL.'
  if (delivery?.disposition === 'APPLIED') return 'It is not replayed: it has been applied.'
  return null
}

type OutcomeProps = { readonly of: DeliveryNow; readonly onReconciled: () => void }

/** Why a delivery was applied or not, and what to do. */
function Outcome({ of: delivery, onReconciled }: OutcomeProps) {
  const { payment, needsAttention } = delivery
  const { glyph, tone } = lookOf('PaymentWebhookDisposition', delivery.disposition)
  const advice = adviceFor(delivery)
  return (
    <Banner
      tone={needsAttention ? tone : 'over'}
      glyph={glyph}
      title={outcomeText(delivery)}
      actions={payment !== null && needsAttention && <Reconcile paymentId={payment.id} onDone={onReconciled} />}
    >
      {advice !== null && <p>{advice}</p>}
      {delivery.event !== null && (
        <p>
          It is event {delivery.event.sequence} of {subjectOf(delivery)?.name ?? delivery.subjectId}.
        </p>
      )}
    </Banner>
  )
}

function Reconcile({ paymentId, onDone }: { readonly paymentId: string; readonly onDone: () => void }) {
  const { button, outcome } = useReconcile(paymentId, onDone)
  return (
    <>
      {button}
      {outcome}
    </>
  )
}

type FactsProps = { readonly of: DeliveryNow; readonly keys: NonNullable<DeliveryNowQuery['signingKeys']> }

/** How it was received: its signature, its key and its URL, without their secrets. */
function DeliveryFacts({ of: delivery, keys }: FactsProps) {
  const { signed, keyId, link, ref, attempts, firstReceivedAt, lastReceivedAt, subjectId } = delivery
  const key = keys.find((one) => one.keyId === keyId)
  return (
    <aside class="side" aria-label="Facts">
      <div>
        <section aria-label="Headers">
          <h2>Headers</h2>
          <Facts>
            <Fact name="Signature">
              {signed !== null &&
                (signed ? (
                  <span class="row">
                    <Icon name="check" class="tone here" />
                    Valid
                  </span>
                ) : (
                  'None'
                ))}
            </Fact>
            <Fact name="Authorization">
              {keyId !== null && (
                <>
                  Key <code>{keyId}</code> {key && <Status kind="PaymentSigningKeyState" of={key.state} />}
                </>
              )}
            </Fact>
            <Fact name="Webhook URL of">
              {link === null ? (
                (ref ?? 'the merchant’s default')
              ) : (
                <a href={hrefOf('links', link.id)}>{link.reference}</a>
              )}
            </Fact>
          </Facts>
        </section>
        <section aria-label="Received">
          <h2>Received</h2>
          <Facts>
            <Fact name="First">
              <Moment at={firstReceivedAt} isExact />
            </Fact>
            <Fact name="Last">{attempts > 1 && <Moment at={lastReceivedAt} isExact />}</Fact>
            <Fact name="Times">{attempts === 1 ? 'Once' : `Received ${attempts} times`}</Fact>
            <Fact name="Names">{subjectId && <Id of={subjectId} what="subject id" />}</Fact>
            <Fact name="Delivery">
              <Id of={delivery.id} what="delivery id" />
            </Fact>
          </Facts>
        </section>
      </div>
    </aside>
  )
}

function Body({ of: { body } }: { readonly of: DeliveryNow }) {
  return (
    <section aria-labelledby="body">
      <h2 id="body">Body</h2>
      <Needs scopes={['payments:risk']} what="Bodies">
        {body ? (
          <>
            <pre class="code" role="group" aria-label="Body" tabIndex={0}>
              {bodyText(body)}
            </pre>
            <p class="small faint">Stored without secrets and payer data.</p>
          </>
        ) : (
          <p class="note">The body was not stored.</p>
        )}
      </Needs>
    </section>
  )
}
