import { AccountHistoryDocument, AccountsDocument } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, Waiting, Table } from '../pieces/page.tsx'
import { Amount } from '../pieces/values.tsx'
import type { Route } from '../routes/route.ts'

const BALANCES = ['Site', 'Currency', 'Available', 'Incoming', 'Outgoing', 'Reserve', 'Withdrawable']
const HISTORY = ['Movement', 'Time', 'Type', 'Method', 'Status', 'Amount', 'Fees']
const HISTORY_DAYS = 30
const DAY_MS = 24 * 3_600_000
/** Milliseconds between two reads: each asks the payments API. */
const EVERY_MS = 60_000

/** What the account of each site holds, why an account has no balance, and what moved the account in AUD. */
export function Accounts({ route }: { readonly route: Route }) {
  const answer = useAnswer(AccountsDocument, {}, { everyMs: EVERY_MS })
  const list = answer.data?.accountBalances ?? null
  return (
    <Page title="Accounts">
      <AnswerFailure of={answer} />
      {answer.readAt !== null && answer.error === undefined && (
        <p>
          Read from the payments API <Moment at={new Date(answer.readAt).toISOString()} />.
        </p>
      )}
      {list?.failures.map(({ site, currency, code, message }) => (
        <p key={`${site} ${currency}`} class="note-block fault">
          {site}, {currency}: {message} <code>{code}</code>
        </p>
      ))}
      {list === null || list.nodes.length === 0 ? (
        <Waiting of={answer} what="accounts" />
      ) : (
        <Table caption="Balances" columns={BALANCES}>
          {list.nodes.map(({ site, currency, available, incoming, outgoing, rollingReserve, withdrawable }) => (
            <tr key={`${site} ${currency}`}>
              <th scope="row">{site}</th>
              <td>{currency}</td>
              {[available, incoming, outgoing, rollingReserve, withdrawable].map((amount, index) => (
                <td key={BALANCES[index + 2]} class="number">
                  <Amount of={amount} />
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
      <section aria-labelledby="history">
        <h2 id="history">Movements in AUD, last {HISTORY_DAYS} days</h2>
        <History route={route} />
      </section>
    </Page>
  )
}

function History({ route }: { readonly route: Route }) {
  const now = Date.now()
  const variables = {
    from: dayOf(now - HISTORY_DAYS * DAY_MS),
    to: dayOf(now),
    first: PAGE,
    after: route.params.get('after'),
  }
  const answer = useAnswer(AccountHistoryDocument, variables, { everyMs: EVERY_MS })
  return (
    <List route={route} what="movements" answer={answer} list={answer.data?.balanceHistory} columns={HISTORY}>
      {({ id, createdAt, kindRaw, directionRaw, direction, methodRaw, statusRaw, amount, fees }) => (
        <tr key={id}>
          <th scope="row">
            <code>{id}</code>
          </th>
          <td>{createdAt === null ? '–' : <Moment at={createdAt} />}</td>
          <td>{[kindRaw ?? '–', NAMES[direction] ?? directionRaw].join(', ')}</td>
          <td>{methodRaw ?? '–'}</td>
          <td>{statusRaw ?? '–'}</td>
          <td class="number">
            <Amount of={amount} />
          </td>
          <td class="number">
            <Amount of={fees} />
          </td>
        </tr>
      )}
    </List>
  )
}

const NAMES: Readonly<Partial<Record<string, string>>> = { MONEY_IN: 'in', MONEY_OUT: 'out' }

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
