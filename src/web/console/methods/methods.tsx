import { PayinMethodsDocument, PayoutMethodsDocument } from '../generated/graphql.ts'
import { Amount } from '../pieces/amount.tsx'
import { RequestFailure } from '../pieces/failures.tsx'
import { Choices, FilterForm } from '../pieces/filter-form.tsx'
import { Needs } from '../pieces/needs.tsx'
import { Page, Waiting } from '../pieces/page.tsx'
import { wordsOf } from '../pieces/status.tsx'
import { Table } from '../pieces/table.tsx'
import { useAnswer } from '../pieces/use-answer.ts'
import type { Route } from '../routes/route.ts'
import { Freshness } from './freshness.tsx'

/** Payin and payout methods, for each currency with configured credentials. */
export function Methods({ route }: { readonly route: Route }) {
  const { params } = route
  const { data, error, isAsking } = useAnswer(PayinMethodsDocument, { currencies: currenciesOf(params) })
  const list = data?.payinMethods
  const enabled = data?.paymentCurrencies.filter((currency) => currency.enabled).map(({ code }) => code)

  return (
    <Page title="Methods">
      <FilterForm route={route} label="Methods" isTyped={false}>
        <Choices
          name="currency"
          label="Currency"
          params={params}
          values={enabled ?? params.get('currency')?.split(',') ?? []}
          verbatim
        />
      </FilterForm>
      <section aria-labelledby="payins">
        <h2 id="payins">Money in</h2>
        <RequestFailure error={error} />
        {list !== undefined && list !== null && <Freshness of={list} />}
        {list === undefined || list === null || list.nodes.length === 0 ? (
          <Waiting isAsking={isAsking} what="methods" />
        ) : (
          <Table caption="Methods of money in" columns={['Method', 'Currency', 'Kind', 'Least', 'Most', 'Refunds']}>
            {list.nodes.map(({ code, name, currency, kind, minAmount, maxAmount, traits }) => (
              <tr key={code}>
                <th scope="row">
                  {name}
                  <br />
                  <code>{code}</code>
                </th>
                <td>{currency}</td>
                <td>{wordsOf(kind)}</td>
                <td class="number">
                  <Amount of={minAmount} />
                </td>
                <td class="number">
                  <Amount of={maxAmount} />
                </td>
                <td>{traits.refundable === null ? 'Not known' : traits.refundable ? 'Yes' : 'No'}</td>
              </tr>
            ))}
          </Table>
        )}
      </section>
      <section aria-labelledby="payouts">
        <h2 id="payouts">Money out</h2>
        <Needs scopes={['payouts:read']} what="Methods of money out">
          <PayoutMethods params={params} />
        </Needs>
      </section>
    </Page>
  )
}

function PayoutMethods({ params }: { readonly params: URLSearchParams }) {
  const { data, error, isAsking } = useAnswer(PayoutMethodsDocument, { currencies: currenciesOf(params) })
  const list = data?.payoutMethods
  return (
    <>
      <RequestFailure error={error} />
      {list !== undefined && list !== null && <Freshness of={list} />}
      {list === undefined || list === null || list.nodes.length === 0 ? (
        <Waiting isAsking={isAsking} what="methods" />
      ) : (
        <Table caption="Methods of money out" columns={['Method', 'Currency', 'Country', 'Kind']}>
          {list.nodes.map(({ code, currency, countryCode, kind }) => (
            <tr key={code}>
              <th scope="row">
                <code>{code}</code>
              </th>
              <td>{currency}</td>
              <td>{countryCode ?? '–'}</td>
              <td>{wordsOf(kind)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}

function currenciesOf(params: URLSearchParams): string[] | null {
  const chosen =
    params
      .get('currency')
      ?.split(',')
      .filter((code) => /^[A-Z]{3,4}$/.test(code)) ?? []
  return chosen.length === 0 ? null : chosen
}
