import { useState } from 'preact/hooks'
import { DeliveriesOf } from '../deliveries/deliveries.tsx'
import {
  AgreementNowDocument,
  type AgreementNowQuery,
  AmendAgreementDocument,
  ChangeAgreementDocument,
  type PaymentAgreementStatus,
  type PaymentAgreementStatusChange,
} from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { CommandDrawer } from '../pieces/command-drawer.tsx'
import type { FeedEvent } from '../pieces/log-changes.ts'
import { Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Needs } from '../pieces/page.tsx'
import { Subject } from '../pieces/subject.tsx'
import { Amount, amountText, Id, wordsOf } from '../pieces/values.tsx'
import { useScope } from '../session/session.ts'
import { IN_AUD, TERMS } from './terms.ts'

type AgreementNow = NonNullable<AgreementNowQuery['paymentAgreement']>

/** One debit agreement: its terms, its timeline and its actions. */
export function Agreement({ id }: { readonly id: string }) {
  const concerns = ({ agreementId }: FeedEvent) => agreementId === id
  const answer = useAnswer(AgreementNowDocument, { id, pii: useScope('payments:pii') }, { concerns })
  const agreement = answer.data?.paymentAgreement ?? null
  const payer = agreement?.payer ?? null
  return (
    <Subject
      in="agreements"
      what="Agreement"
      id={id}
      answer={answer}
      kind="PaymentAgreementStatus"
      shown={
        agreement && {
          ...agreement,
          amount: agreement.limit,
          name: agreement.clientTransactionId,
          about: [payer?.name, agreement.description, `at most, ${wordsOf(agreement.frequency).toLowerCase()}`],
          parts: {
            Terms: {
              Limit: <Amount of={agreement.limit} />,
              'Amount rule': wordsOf(agreement.amountRule),
              Frequency: wordsOf(agreement.frequency),
              Purpose: wordsOf(agreement.purpose),
              'First day': agreement.startDate,
              Amendment: agreement.amendmentStatusRaw && <code>{agreement.amendmentStatusRaw}</code>,
            },
            ...(payer && {
              Payer: {
                Name: payer.name,
                PayID: payer.payIdMasked,
                Account: [payer.bsb, payer.accountNumberMasked].filter(Boolean).join(' '),
              },
            }),
            Ids: {
              Agreement: <Id of={agreement.id} what="agreement id" />,
              Ours: <Id of={agreement.clientTransactionId} what="client transaction id" />,
              Reference: agreement.reference && <Id of={agreement.reference} what="reference" />,
              Service: <Id of={agreement.serviceId} what="service id" />,
              Version: agreement.version,
              Created: <Moment at={agreement.createdAt} isExact />,
              Changed: <Moment at={agreement.updatedAt} />,
            },
          },
        }
      }
      actions={
        <Needs scopes={['agreements:write']} what="Changes">
          {agreement && <AgreementActions agreement={agreement} onDone={answer.askAgain} />}
        </Needs>
      }
      more={
        agreement && (
          <Needs scopes={['payments:read']} what="Deliveries">
            <DeliveriesOf subjectId={agreement.id} concerns={concerns} />
          </Needs>
        )
      }
    />
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

/** Buttons to suspend, resume, change or cancel an agreement. */
function AgreementActions({ agreement, onDone }: Props) {
  const [asked, setAsked] = useState<PaymentAgreementStatusChange | 'TERMS' | null>(null)
  const changes = CHANGES[agreement.status]
  const change = [SUSPEND, RESUME, CANCEL].find(({ status }) => status === asked)
  const close = () => {
    setAsked(null)
    onDone()
  }
  return (
    <>
      {changes.length === 0 && asked === null && <p class="small faint">It can no longer be changed.</p>}
      {changes.map(({ status, name }) => (
        <button class="button" key={status} type="button" onClick={() => setAsked(status)}>
          {name} …
        </button>
      ))}
      {changes.length > 0 && (
        <button class="button" type="button" onClick={() => setAsked('TERMS')}>
          Change the terms …
        </button>
      )}
      {asked === 'TERMS' && (
        <CommandDrawer
          title="Change the terms"
          document={AmendAgreementDocument}
          fields={TERMS(agreement)}
          given={{ ...IN_AUD, id: agreement.id }}
          button={() => 'Change the terms'}
          resultOf={(data) => data.amendPaymentAgreement}
          onClose={close}
        >
          {() => <p class="note-block here">It was asked for. The payer’s bank decides, and the terms then change.</p>}
        </CommandDrawer>
      )}
      {change !== undefined && <ChangeDrawer agreement={agreement} change={change} onClose={close} />}
    </>
  )
}

type Change = {
  readonly status: PaymentAgreementStatusChange
  readonly name: string
  /** The effect of the change, as a sentence. */
  readonly consequence: string
}

type DrawerProps = { readonly agreement: AgreementNow; readonly change: Change; readonly onClose: () => void }

/** Confirms a change of an agreement. */
function ChangeDrawer({ agreement, change, onClose }: DrawerProps) {
  return (
    <CommandDrawer
      title={`${change.name} the agreement`}
      document={ChangeAgreementDocument}
      fields={[]}
      given={{ id: agreement.id, status: change.status }}
      about={
        <>
          <Facts>
            <Fact name="Agreement">{agreement.clientTransactionId}</Fact>
            <Fact name="Description">{agreement.description}</Fact>
            <Fact name="Limit">{amountText(agreement.limit)}</Fact>
          </Facts>
          <p>{change.consequence}</p>
        </>
      }
      button={() => `${change.name} it`}
      resultOf={(data) => data.changePaymentAgreementStatus}
      onClose={onClose}
    >
      {(result) => <p class="note-block here">It was asked for. The agreement is {result.agreement.statusRaw} now.</p>}
    </CommandDrawer>
  )
}
