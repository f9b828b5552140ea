import { type PayinMethodUse, PayinMethodsDocument, PayoutMethodsDocument } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Choices, FilterForm } from '../pieces/filter-form.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Needs, Page, Waiting, Table } from '../pieces/page.tsx'
import { Amount, wordsOf } from '../pieces/values.tsx'
import type { Route } from '../routes/route.ts'

/** Milliseconds between two reads of the lists, which change seldom. */
const EVERY_MS = 60_000

/** Payin and payout methods, for each currency with configured credentials. */
export function Methods({ route }: { readonly route: Route }) {
  const { params } = route
  const answer = useAnswer(PayinMethodsDocument, { currencies: currenciesOf(params) }, { everyMs: EVERY_MS })
  const { data } = answer
  const list = data?.payinMethods
  const enabled = data?.paymentCurrencies.filter((currency) => currency.enabled).map(({ code }) => code)

  return (
    <Page title="Methods">
      <FilterForm route={route} label="Methods">
        <Choices
          name="currency"
          label="Currency"
          params={params}
          values={enabled ?? params.get('currency')?.split(',') ?? []}
          verbatim
        />
      </FilterForm>
      <section aria-labelledby="payins">
        <h2 id="payins">Payin methods</h2>
        <AnswerFailure of={answer} />
        {list !== undefined && list !== null && <Freshness of={list} />}
        {list != null && <MissingUses of={list} />}
        {list === undefined || list === null || list.nodes.length === 0 ? (
          <Waiting of={answer} what="methods" />
        ) : (
          <Table
            caption="Payin methods"
            columns={['Method', 'Currency', 'Kind', 'Used for', 'Minimum', 'Maximum', 'Refunds', 'Requires']}
          >
            {list.nodes.map(({ code, name, currency, kind, usableFor, networks, minAmount, maxAmount, traits }) => (
              <tr key={code}>
                <th scope="row">
                  {name}
                  <br />
                  <code>{code}</code>
                </th>
                <td>{currency}</td>
                <td>
                  {wordsOf(kind)}
                  {networks !== null && ` (${networks.join(', ')})`}
                </td>
                <td>{usableFor.map((use) => NAMES[use]).join(', ')}</td>
                <td class="number">
                  <Amount of={minAmount} />
                </td>
                <td class="number">
                  <Amount of={maxAmount} />
                </td>
                <td>{traits.refundable === null ? 'Unknown' : traits.refundable ? 'Yes' : 'No'}</td>
                <td>{asksFor(traits)}</td>
              </tr>
            ))}
          </Table>
        )}
      </section>
      <section aria-labelledby="payouts">
        <h2 id="payouts">Payout methods</h2>
        <Needs scopes={['payouts:read']} what="Payout methods">
          <PayoutMethods params={params} />
        </Needs>
      </section>
    </Page>
  )
}

type Missing = { readonly currency: string; readonly use: PayinMethodUse }

/** Names the uses of a currency that are not known, where something else of it is. */
function MissingUses({
  of: { missing, unavailable },
}: {
  readonly of: { readonly missing: readonly Missing[]; readonly unavailable: readonly string[] }
}) {
  const parts = missing.filter(({ currency }) => !unavailable.includes(currency))
  if (parts.length === 0) return null
  const named = parts.map(({ currency, use }) => `${currency} for ${NAMES[use]}`)
  return <p class="note-block fault">Not known, since the payments API did not answer: {named.join(', ')}.</p>
}

const NAMES: Readonly<Record<PayinMethodUse, string>> = { LINK: 'links', DIRECT: 'direct payins' }

type Asked = {
  readonly requiresContact: boolean | null
  readonly requiresKyc: boolean | null
  readonly openAmount: boolean
}

/** Returns what a payment by a method needs before it, or may leave out. */
function asksFor({ requiresContact, requiresKyc, openAmount }: Asked): string {
  const said = [
    requiresContact === true ? 'a contact' : null,
    requiresKyc === true ? 'identity checks' : null,
    openAmount ? 'no amount' : null,
  ].filter((text) => text !== null)
  return said.length === 0 ? '–' : said.join(', ')
}

function PayoutMethods({ params }: { readonly params: URLSearchParams }) {
  const answer = useAnswer(PayoutMethodsDocument, { currencies: currenciesOf(params) }, { everyMs: EVERY_MS })
  const list = answer.data?.payoutMethods
  return (
    <>
      <AnswerFailure of={answer} />
      {list !== undefined && list !== null && <Freshness of={list} />}
      {list === undefined || list === null || list.nodes.length === 0 ? (
        <Waiting of={answer} what="methods" />
      ) : (
        <Table caption="Payout methods" columns={['Method', 'Currency', 'Country', 'Kind']}>
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

type List = { readonly fetchedAt: string; readonly stale: boolean; readonly unavailable: readonly string[] }

/** The age of a list of methods, and what is missing from it. */
function Freshness({ of: { fetchedAt, stale, unavailable } }: { readonly of: List }) {
  return (
    <>
      <p>
        Read from the payments API <Moment at={fetchedAt} />.{' '}
        {stale && <strong class="tone look">Out of date: the payments API has not answered since.</strong>}
      </p>
      {unavailable.length > 0 && (
        <p class="note-block fault">Not available, since the payments API did not answer: {unavailable.join(', ')}.</p>
      )}
    </>
  )
}
