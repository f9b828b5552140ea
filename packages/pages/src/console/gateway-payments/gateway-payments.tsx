import { useState } from 'preact/hooks'
import {
  GatewayPaymentsDocument,
  type GatewayPaymentStatusInput,
  SettleGatewayPaymentCreationDocument,
  UnansweredGatewayPaymentsDocument,
  type UnansweredGatewayPaymentsQuery,
} from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { CommandDrawer } from '../pieces/command-drawer.tsx'
import type { FeedEvent } from '../pieces/log-changes.ts'
import { Moment } from '../pieces/moments.tsx'
import { Banner, Fact, Facts, Needs } from '../pieces/page.tsx'
import { RecordList } from '../pieces/record-list.tsx'
import { Amount } from '../pieces/values.tsx'
import type { Route } from '../routes/route.ts'

const STATUSES: readonly GatewayPaymentStatusInput[] = ['CREATED', 'PENDING', 'RECEIVED', 'FAILED', 'EXPIRED']

/** Returns whether an event is about a gateway payment. */
export const concernsGatewayPayments = ({ kind }: FeedEvent): boolean => kind.startsWith('GATEWAY_PAYMENT_')

/** Payments on the hosted gateway that were started through the subgraph, newest first. */
export function GatewayPayments({ route }: { readonly route: Route }) {
  return (
    <RecordList
      route={route}
      title="Gateway payments"
      document={GatewayPaymentsDocument}
      listOf={(data) => data.gatewayPayments}
      concerns={concernsGatewayPayments}
      kind="GatewayPaymentStatus"
      by={{ name: 'statuses', kind: 'GatewayPaymentStatus', values: STATUSES }}
      search={{ label: 'Exact order', name: 'reference' }}
      chips={{ site: 'Site' }}
      columns={['Description', 'Changed']}
      rowOf={(payment) => ({
        ...payment,
        name: payment.reference,
        mark: <Marks of={payment} />,
        cells: [payment.description],
        at: payment.updatedAt,
      })}
    >
      <Unanswered />
    </RecordList>
  )
}

type Marked = { readonly provisional: boolean; readonly overrulesOperator: boolean }

/** What the status alone does not show. */
export function Marks({ of: { provisional, overrulesOperator } }: { readonly of: Marked }) {
  return (
    <>
      {provisional && <span class="note-tag look">being checked</span>}
      {overrulesOperator && <span class="note-tag look">overrules an operator</span>}
    </>
  )
}

const SHOWN = 20

type Creation = NonNullable<UnansweredGatewayPaymentsQuery['unansweredGatewayPayments']>[number]

/** The creations of which no answer came; nothing while there are none. */
function Unanswered() {
  const answer = useAnswer(UnansweredGatewayPaymentsDocument, { first: SHOWN }, { concerns: concernsGatewayPayments })
  const [settling, setSettling] = useState<Creation | null>(null)
  const waiting = answer.data?.unansweredGatewayPayments ?? []
  return (
    <>
      {waiting.length > 0 && (
        <Banner tone="look" glyph="doubt" title="Unanswered requests">
          <p>
            Neither an answer nor a callback came. Look each up in the provider’s dashboard by its order, and record
            whether it is there.
            {waiting.length === SHOWN && ` The oldest ${SHOWN} are shown.`}
          </p>
          <Needs scopes={['payments:reconcile']} what="Settling">
            <ul class="stack-3">
              {waiting.map((creation) => (
                <li key={creation.operationId} class="row wrap">
                  <b>{creation.reference}</b> <Amount of={creation.amount} />{' '}
                  <span class="faint">
                    {creation.description}, sent <Moment at={creation.requestedAt} />
                  </span>
                  <button class="button" type="button" onClick={() => setSettling(creation)}>
                    Settle …
                  </button>
                </li>
              ))}
            </ul>
          </Needs>
        </Banner>
      )}
      {settling !== null && (
        <Settle
          creation={settling}
          onClose={() => {
            setSettling(null)
            answer.askAgain()
          }}
        />
      )}
    </>
  )
}

const OUTCOMES = [
  ['CREATED', 'It is there'],
  ['NOT_CREATED', 'It is not there: its key may be used again'],
] as const

function Settle({ creation, onClose }: { readonly creation: Creation; readonly onClose: () => void }) {
  return (
    <CommandDrawer
      title="Settle the payment"
      document={SettleGatewayPaymentCreationDocument}
      isKeyless
      fields={[
        { name: 'outcome', label: 'In the provider’s dashboard', options: OUTCOMES },
        { name: 'paymentId', label: 'Its id there', isOptional: true, hint: 'Where it is there.' },
      ]}
      given={{ operationId: creation.operationId }}
      about={
        <Facts>
          <Fact name="Order">{creation.reference}</Fact>
          <Fact name="Amount">
            <Amount of={creation.amount} />
          </Fact>
          <Fact name="Sent">
            <Moment at={creation.requestedAt} isExact />
          </Fact>
        </Facts>
      }
      button={() => 'Record the outcome'}
      resultOf={(data) => data.settleGatewayPaymentCreation}
      onClose={onClose}
    >
      {() => <p class="note-block here">The outcome was recorded.</p>}
    </CommandDrawer>
  )
}
