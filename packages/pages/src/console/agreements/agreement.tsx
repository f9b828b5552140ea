import { useMutation } from '@urql/preact'
import { useState, useRef } from 'preact/hooks'
import { DeliveriesOf } from '../deliveries/deliveries.tsx'
import type { FeedEvent } from '../feed/log-changes.ts'
import {
  AgreementNowDocument,
  type AgreementNowQuery,
  type PaymentAgreementStatus,
  type PaymentAgreementStatusChange,
  ChangeAgreementDocument,
  type ChangeAgreementMutation,
} from '../generated/graphql.ts'
import { AnswerFailure, useAnswer, documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Dialog } from '../pieces/dialog.tsx'
import { History } from '../pieces/history.tsx'
import { Moment } from '../pieces/moments.tsx'
import { newKey } from '../pieces/new-key.ts'
import { Fact, Facts, Needs, Page, Waiting } from '../pieces/page.tsx'
import { Amount, Status, wordsOf, amountText } from '../pieces/values.tsx'
import { useScope } from '../session/session.ts'

type AgreementNow = NonNullable<AgreementNowQuery['paymentAgreement']>

/** One debit agreement: its terms, history and actions. */
export function Agreement({ id }: { readonly id: string }) {
  const concerns = ({ agreementId }: FeedEvent) => agreementId === id
  const answer = useAnswer(AgreementNowDocument, { id, pii: useScope('payments:pii') }, { concerns })
  const agreement = answer.data?.paymentAgreement ?? null
  return (
    <Page title={`Agreement ${agreement?.clientTransactionId ?? id}`} in="agreements">
      <AnswerFailure of={answer} />
      {agreement === null ? (
        <Waiting of={answer} what={`agreements with the id ${id}`} />
      ) : (
        <>
          <AgreementFacts agreement={agreement} />
          <section aria-labelledby="actions">
            <h2 id="actions">Actions</h2>
            <Needs scopes={['agreements:write']} what="Status changes">
              <AgreementActions agreement={agreement} onDone={answer.askAgain} />
            </Needs>
          </section>
          <div class="beside">
            <History
              events={agreement.events?.nodes ?? []}
              isWhole={agreement.events?.pageInfo.hasNextPage === false}
            />
            <Needs scopes={['payments:read']} what="Deliveries">
              <DeliveriesOf subjectId={agreement.id} concerns={concerns} />
            </Needs>
          </div>
        </>
      )}
    </Page>
  )
}

function AgreementFacts({ agreement }: { readonly agreement: AgreementNow }) {
  const { payer } = agreement
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      <Facts>
        <Fact name="Status">
          <Status kind="PaymentAgreementStatus" of={agreement.status} />
        </Fact>
        <Fact name="Limit">
          <Amount of={agreement.limit} />
        </Fact>
        <Fact name="Description">{agreement.description}</Fact>
        <Fact name="Purpose">{wordsOf(agreement.purpose)}</Fact>
        <Fact name="Amount rule">{wordsOf(agreement.amountRule)}</Fact>
        <Fact name="Frequency">{wordsOf(agreement.frequency)}</Fact>
        <Fact name="Start date">{agreement.startDate}</Fact>
        <Fact name="Payer">
          {payer && [payer.name, payer.bsb, payer.accountNumberMasked, payer.payIdMasked].filter(Boolean).join(', ')}
        </Fact>
        <Fact name="Id">
          <code>{agreement.id}</code>
        </Fact>
        <Fact name="Reference">{agreement.reference}</Fact>
        <Fact name="Created">
          <Moment at={agreement.createdAt} />
        </Fact>
        <Fact name="Updated">
          <Moment at={agreement.updatedAt} />
        </Fact>
      </Facts>
    </section>
  )
}

const SUSPEND: Change = {
  status: 'SUSPENDED',
  name: 'Suspend',
  consequence: 'Nothing can be drawn until it is resumed.',
}
const RESUME: Change = { status: 'ACTIVE', name: 'Resume', consequence: 'Payments can be drawn again.' }
const CANCEL: Change = {
  status: 'CANCELLED',
  name: 'Cancel',
  consequence: 'It ends for good, and cannot be put back in force.',
}

/** The changes that each status allows; an unknown status allows all. */
const CHANGES: Readonly<Record<PaymentAgreementStatus, readonly Change[]>> = {
  CREATED: [CANCEL],
  ACTIVE: [SUSPEND, CANCEL],
  SUSPENDED: [RESUME, CANCEL],
  CANCELLED: [],
  FAILED: [],
  UNRECOGNISED: [SUSPEND, RESUME, CANCEL],
}

type Props = { readonly agreement: AgreementNow; readonly onDone: () => void }

/** Buttons to suspend, resume or cancel an agreement. */
function AgreementActions({ agreement, onDone }: Props) {
  const [asked, setAsked] = useState<PaymentAgreementStatusChange | null>(null)
  const changes = CHANGES[agreement.status]
  const change = [SUSPEND, RESUME, CANCEL].find(({ status }) => status === asked)
  if (changes.length === 0 && change === undefined) return <p class="note">It can no longer be changed.</p>
  return (
    <div class="actions">
      {changes.map(({ status, name }) => (
        <button class="button" key={status} type="button" onClick={() => setAsked(status)}>
          {name} …
        </button>
      ))}
      {change !== undefined && (
        <ChangeDialog
          agreement={agreement}
          change={change}
          onClose={() => {
            setAsked(null)
            onDone()
          }}
        />
      )}
    </div>
  )
}

type Change = {
  readonly status: PaymentAgreementStatusChange
  readonly name: string
  /** The effect of the change, as a sentence. */
  readonly consequence: string
}

type DialogProps = { readonly agreement: AgreementNow; readonly change: Change; readonly onClose: () => void }
type Result = NonNullable<ChangeAgreementMutation['changePaymentAgreementStatus']>

/** Confirms a change of an agreement. The idempotency key is created once per dialog, so that the change is made only once. */
function ChangeDialog({ agreement, change, onClose }: DialogProps) {
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
        <Fact name="Description">{agreement.description}</Fact>
        <Fact name="Limit">{amountText(agreement.limit)}</Fact>
      </Facts>
      <p>{change.consequence}</p>
      <RequestFailure error={isBusy ? undefined : error} />
      <div role="status">
        {result?.__typename === 'PaymentAgreementSuccess' && (
          <p class="note-block here">It was asked for. The agreement is {result.agreement.statusRaw} now.</p>
        )}
      </div>
      {result !== null && 'code' in result && <FailureNotice failure={result} />}
      <div class="actions">
        {!isDone && (
          <button type="button" class="button danger" disabled={isBusy} onClick={send}>
            {change.name} it
          </button>
        )}
        <button class="button" type="button" disabled={isBusy} onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
