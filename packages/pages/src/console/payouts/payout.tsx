import { useState } from 'preact/hooks'
import { CancelPayoutDocument, PayoutNowDocument, type PayoutNowQuery } from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { CommandDrawer } from '../pieces/command-drawer.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Banner, Needs, Table } from '../pieces/page.tsx'
import { Subject } from '../pieces/subject.tsx'
import { Amount, amountText, capitalised, Id } from '../pieces/values.tsx'
import { useScope } from '../session/session.ts'
import { concernsPayouts } from './payouts.tsx'

type PayoutNow = NonNullable<PayoutNowQuery['payout']>

/** One payout: what to do, its transactions, its history and its facts. */
export function Payout({ id }: { readonly id: string }) {
  const pii = [useScope('payouts:pii'), useScope('payments:pii')].includes(true)
  const answer = useAnswer(PayoutNowDocument, { id, pii }, { concerns: concernsPayouts })
  const payout = answer.data?.payout ?? null
  return (
    <Subject
      in="payouts"
      what="Payout"
      id={id}
      answer={answer}
      kind="PayoutStatus"
      shown={
        payout && {
          ...payout,
          amount: payout.totalAmount,
          name: payout.reference ?? id,
          about: [payout.description],
          mark: payout.provisional === true && <span class="note-tag look">being checked</span>,
          parts: {
            Payout: {
              Method: payout.method?.name,
              Site: payout.site,
              'Scheduled for': payout.scheduledAt && <Moment at={payout.scheduledAt} isExact />,
              Cancelled: payout.cancelledAt && <Moment at={payout.cancelledAt} isExact />,
              Returned: payout.refunded && <Amount of={payout.refunded} />,
            },
            Ids: {
              Payout: <Id of={payout.id} what="payout id" />,
              Status: <code>{payout.statusRaw}</code>,
              Created: payout.createdAt && <Moment at={payout.createdAt} isExact />,
              Changed: payout.updatedAt && <Moment at={payout.updatedAt} />,
            },
          },
        }
      }
      banners={payout && <Banners payout={payout} />}
      more={payout && <Transactions of={payout} />}
      aside={payout?.status === 'SCHEDULED' && <Cancel payout={payout} onDone={answer.askAgain} />}
    />
  )
}

function Banners({ payout: { failedTransactions, transactions, refunded, errorCode, errorMessage } }: Shown) {
  const isMoneyBack = refunded !== null && Number(refunded.value) > 0
  return (
    <>
      {errorMessage !== null && (
        <Banner tone="fault" glyph="fail" title="The payments API did not carry it out">
          <p>
            {errorMessage} <code>{errorCode}</code>
          </p>
        </Banner>
      )}
      {failedTransactions !== null && failedTransactions > 0 && (
        <Banner tone="look" glyph="doubt" title={`${failedTransactions} of ${transactions.length} payees not paid`}>
          <p>
            {isMoneyBack && `${amountText(refunded)} was returned to the account. `}
            Ask the payee for other bank details, and pay again.
          </p>
        </Banner>
      )}
    </>
  )
}

type Shown = { readonly payout: PayoutNow }

function Cancel({ payout, onDone }: Shown & { readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section class="danger-zone" aria-labelledby="cancel">
      <h2 id="cancel">Cancel</h2>
      <Needs scopes={['payouts:write']} what="Cancelling">
        <p class="small faint">Until its time. This cannot be undone.</p>
        <button class="button" type="button" onClick={() => setOpen(true)}>
          Cancel the payout …
        </button>
      </Needs>
      {isOpen && (
        <CommandDrawer
          title="Cancel the payout"
          document={CancelPayoutDocument}
          fields={[]}
          given={{ id: payout.id }}
          about={<p>{amountText(payout.totalAmount)} will not be paid.</p>}
          button={() => 'Cancel the payout'}
          resultOf={(data) => data.cancelScheduledPayout}
          onClose={() => {
            setOpen(false)
            onDone()
          }}
        >
          {() => <p class="note-block here">The cancellation was accepted.</p>}
        </CommandDrawer>
      )}
    </section>
  )
}

const COLUMNS = ['Payee', 'Bank', 'Account or PayID', 'Status', ['Amount', 'number']] as const

function Transactions({ of: { transactions } }: { readonly of: PayoutNow }) {
  return (
    <section class="card" aria-labelledby="transactions">
      <header>
        <h2 id="transactions">Payees</h2>
      </header>
      <Table caption="Payees" columns={COLUMNS} isFolding>
        {transactions.map(({ id, payee, payeeMasked, accountNumberMasked, payIdMasked, bankCode, ...transaction }) => (
          <tr key={id}>
            <th scope="row" class="lead">
              {payee ?? payeeMasked ?? '–'}
            </th>
            <td class="faint drop">{bankCode ?? '–'}</td>
            <td class="mono faint">{accountNumberMasked ?? payIdMasked ?? '–'}</td>
            <td class="faint end">
              {capitalised(transaction.statusRaw)}
              {transaction.errorMessage !== null && <span class="tone fault">: {transaction.errorMessage}</span>}
            </td>
            <td class="number lead end">
              <Amount of={transaction.amount} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
