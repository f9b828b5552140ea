import { ActionButton } from '../actions/actions.tsx'
import { AccountHistoryDocument, AccountsDocument, EnabledCurrenciesDocument } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Page, Waiting } from '../pieces/page.tsx'
import { Amount } from '../pieces/values.tsx'
import type { Route } from '../routes/route.ts'

const HISTORY_DAYS = 30
const DAY_MS = 24 * 3_600_000
/** Milliseconds between two reads: each asks the payments API. */
const EVERY_MS = 60_000

/** What the account of each site holds, each read on its own, and what moved the account in AUD. */
export function Accounts({ route }: { readonly route: Route }) {
  const answer = useAnswer(EnabledCurrenciesDocument, {}, { everyMs: EVERY_MS })
  const currencies = (answer.data?.paymentCurrencies ?? []).filter(({ enabled }) => enabled)
  return (
    <Page
      title="Accounts"
      actions={
        <>
          <ActionButton name="bank" />
          <ActionButton name="deposit" />
        </>
      }
    >
      <AnswerFailure of={answer} />
      {currencies.length === 0 ? (
        <Waiting of={answer} what="accounts" />
      ) : (
        <ul class="accounts">
          {currencies.map(({ code }) => (
            <AccountsIn key={code} currency={code} />
          ))}
        </ul>
      )}
      <section aria-labelledby="history">
        <header class="section-head">
          <h2 id="history">Movements in AUD, last {HISTORY_DAYS} days</h2>
        </header>
        <Movements route={route} />
      </section>
    </Page>
  )
}

/** The accounts in one currency: a site that does not answer holds up none but its own. */
function AccountsIn({ currency }: { readonly currency: string }) {
  const answer = useAnswer(AccountsDocument, { currencies: [currency] }, { everyMs: EVERY_MS })
  const { nodes = [], failures = [] } = answer.data?.accountBalances ?? {}
  const at = answer.readAt === null ? null : new Date(answer.readAt).toISOString()
  if (nodes.length === 0 && failures.length === 0)
    return (
      <li class="card account" aria-busy={answer.isAsking}>
        <header>
          <h2>{currency}</h2>
        </header>
        <div class="body">
          {answer.isAsking ? (
            <p class="value" role="status">
              <span class="skeleton" />
              <span class="hidden-text">Waiting for the balance in {currency}</span>
            </p>
          ) : (
            <p class="value faint">Not known</p>
          )}
        </div>
      </li>
    )
  return (
    <>
      {nodes.map(({ site, available, incoming, outgoing, rollingReserve, withdrawable }) => (
        <li key={site} class="card account">
          <header>
            <h2>
              {site} <span class="faint">{currency}</span>
            </h2>
            <span class="push small faint">
              <Moment at={at} />
            </span>
          </header>
          <div class="body">
            <p class="value">
              <Amount of={available} class="large" />
            </p>
            <p class="faint small">Available</p>
            <Facts class="money">
              <Fact name="Incoming">{incoming && <Amount of={incoming} />}</Fact>
              <Fact name="Outgoing">{outgoing && <Amount of={outgoing} />}</Fact>
              <Fact name="Rolling reserve">{rollingReserve && <Amount of={rollingReserve} />}</Fact>
              <Fact name="Can be withdrawn">{withdrawable && <Amount of={withdrawable} class="strong" />}</Fact>
            </Facts>
          </div>
        </li>
      ))}
      {failures.map(({ site, code, message }) => (
        <li key={`${site} ${code}`} class="card account problem">
          <header>
            <h2>
              {site} <span class="faint">{currency}</span>
            </h2>
          </header>
          <div class="body">
            <p class="value faint">Not known</p>
            <p>
              {message} <code>{code}</code>
            </p>
          </div>
        </li>
      ))}
    </>
  )
}

const HISTORY = [
  ['Amount', 'number'],
  'Direction',
  'Movement',
  'Kind',
  'Method',
  'Status',
  ['Fees', 'number'],
  ['Time', 'number'],
] as const

function Movements({ route }: { readonly route: Route }) {
  const now = Date.now()
  const variables = {
    from: dayOf(now - HISTORY_DAYS * DAY_MS),
    to: dayOf(now),
    first: PAGE,
    after: route.params.get('after'),
  }
  const answer = useAnswer(AccountHistoryDocument, variables, { everyMs: EVERY_MS })
  return (
    <List route={route} what="movements" answer={answer} list={answer.data?.balanceHistory} columns={HISTORY} isFolding>
      {({ id, createdAt, kindRaw, directionRaw, direction, methodRaw, statusRaw, amount, fees }) => (
        <tr key={id}>
          <td class="number lead">
            <Amount of={amount} />
          </td>
          <td class="end lead">{NAMES[direction] ?? directionRaw}</td>
          <th scope="row" class="mono">
            {id}
          </th>
          <td class="mono faint drop">{kindRaw ?? '–'}</td>
          <td class="mono faint drop">{methodRaw ?? '–'}</td>
          <td class="mono faint drop">{statusRaw ?? '–'}</td>
          <td class="number drop">
            <Amount of={fees} />
          </td>
          <td class="number faint end">
            <Moment at={createdAt} />
          </td>
        </tr>
      )}
    </List>
  )
}

const NAMES: Readonly<Partial<Record<string, string>>> = { MONEY_IN: 'In', MONEY_OUT: 'Out' }

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
