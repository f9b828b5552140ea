import { PayoutNowDocument, type PayoutNowQuery } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { History } from '../pieces/history.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Page, Waiting, Table } from '../pieces/page.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { useScope } from '../session/session.ts'
import { concernsPayouts } from './payouts.tsx'

type PayoutNow = NonNullable<PayoutNowQuery['payout']>

const COLUMNS = ['Payee', 'Account or PayID', 'Bank', 'Status', 'Amount']

/** One payout: its facts, its transactions and its history. */
export function Payout({ id }: { readonly id: string }) {
  const pii = [useScope('payouts:pii'), useScope('payments:pii')].includes(true)
  const answer = useAnswer(PayoutNowDocument, { id, pii }, { concerns: concernsPayouts })
  const payout = answer.data?.payout ?? null
  return (
    <Page title={`Payout ${payout?.reference ?? id}`} in="payouts">
      <AnswerFailure of={answer} />
      {payout === null ? (
        <Waiting of={answer} what={`payouts with the id ${id}`} />
      ) : (
        <>
          <PayoutFacts payout={payout} />
          <Transactions of={payout} />
          <History events={payout.events?.nodes ?? []} isWhole={payout.events?.pageInfo.hasNextPage === false} />
        </>
      )}
    </Page>
  )
}

function PayoutFacts({ payout }: { readonly payout: PayoutNow }) {
  const { scheduledAt, cancelledAt, createdAt, updatedAt, refunded, failedTransactions } = payout
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      <Facts>
        <Fact name="Status">
          <Status kind="PayoutStatus" of={payout.status} />
          {payout.provisional === true && ' (being checked)'}
        </Fact>
        <Fact name="Amount">
          <Amount of={payout.totalAmount} />
        </Fact>
        <Fact name="Returned">{refunded && <Amount of={refunded} />}</Fact>
        <Fact name="Failed">
          {failedTransactions === null ? null : `${failedTransactions} of ${payout.transactions.length}`}
        </Fact>
        <Fact name="Method">{payout.method?.name}</Fact>
        <Fact name="Description">{payout.description}</Fact>
        <Fact name="Account">{payout.site}</Fact>
        <Fact name="Scheduled for">{scheduledAt && <Moment at={scheduledAt} />}</Fact>
        <Fact name="Cancelled">{cancelledAt && <Moment at={cancelledAt} />}</Fact>
        <Fact name="Failure">{[payout.errorCode, payout.errorMessage].filter(Boolean).join(': ')}</Fact>
        <Fact name="Id">
          <code>{payout.id}</code>
        </Fact>
        <Fact name="Created">{createdAt && <Moment at={createdAt} />}</Fact>
        <Fact name="Updated">{updatedAt && <Moment at={updatedAt} />}</Fact>
      </Facts>
    </section>
  )
}

function Transactions({ of: { transactions } }: { readonly of: PayoutNow }) {
  return (
    <section aria-labelledby="transactions">
      <h2 id="transactions">Transactions</h2>
      <Table caption="Transactions" columns={COLUMNS}>
        {transactions.map(({ id, payee, payeeMasked, accountNumberMasked, payIdMasked, bankCode, ...transaction }) => (
          <tr key={id}>
            <td>{payee ?? payeeMasked ?? '–'}</td>
            <td>{accountNumberMasked ?? payIdMasked ?? '–'}</td>
            <td>{bankCode ?? '–'}</td>
            <td>
              {transaction.statusRaw}
              {transaction.errorMessage !== null && `: ${transaction.errorMessage}`}
            </td>
            <td class="number">
              <Amount of={transaction.amount} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
