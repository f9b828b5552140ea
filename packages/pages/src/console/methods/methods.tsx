import type { ComponentChildren } from 'preact'
import {
  EnabledCurrenciesDocument,
  type PayinMethodUse,
  PayinMethodsDocument,
  PayoutMethodsDocument,
} from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Choices, FilterForm } from '../pieces/filter-form.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Needs, Page, Table, Tabs, Waiting } from '../pieces/page.tsx'
import { capitalised, digitsOf, nameOfCode, wordsOf } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

/** Milliseconds between two reads of the lists, which change seldom. */
const EVERY_MS = 60_000

/** Methods of money in or of money out, for each currency with configured credentials. */
export function Methods({ route }: { readonly route: Route }) {
  const { params } = route
  const isOut = params.get('direction') === 'out'
  const others = { ...Object.fromEntries(params), direction: null }
  const currencies = useAnswer(EnabledCurrenciesDocument, {}, { everyMs: EVERY_MS })
  const enabled = (currencies.data?.paymentCurrencies ?? []).filter((one) => one.enabled).map(({ code }) => code)
  return (
    <Page title="Methods">
      <Tabs
        label="Direction"
        tabs={[
          { name: 'Money in', href: hrefOf('methods', null, others), isCurrent: !isOut },
          { name: 'Money out', href: hrefOf('methods', null, { ...others, direction: 'out' }), isCurrent: isOut },
        ]}
      />
      <FilterForm route={route} label="Methods">
        <Choices name="currency" label="Currency" params={params} values={enabled} verbatim />
      </FilterForm>
      {isOut ? (
        <Needs scopes={['payouts:read']} what="Payout methods">
          <PayoutMethods params={params} />
        </Needs>
      ) : (
        <PayinMethods params={params} />
      )}
    </Page>
  )
}

type ListProps = { readonly params: URLSearchParams }

function PayinMethods({ params }: ListProps) {
  const answer = useAnswer(PayinMethodsDocument, { currencies: currenciesOf(params) }, { everyMs: EVERY_MS })
  const list = answer.data?.payinMethods ?? null
  return (
    <>
      <AnswerFailure of={answer} />
      {list !== null && <Freshness of={list} />}
      {list !== null && <MissingUses of={list} />}
      <section class="card rows" aria-busy={answer.isOld} aria-label="Payin methods">
        {list === null || list.nodes.length === 0 ? (
          <Waiting of={answer} what="methods" />
        ) : (
          <Table caption="Payin methods" columns={PAYIN} class="methods" isFolding>
            {byCurrency(list.nodes, ({ code, name, kind, usableFor, networks, minAmount, maxAmount, traits }) => (
              <tr key={code}>
                <th scope="row" class="lead">
                  <span class="two-line">
                    <span>{name}</span>
                    <code class="faint">{code}</code>
                  </span>
                </th>
                <td class="drop">
                  {wordsOf(kind)}
                  {networks !== null && <span class="faint"> · {networks.join(', ')}</span>}
                </td>
                <td class="drop">{capitalised(usableFor.map((use) => NAMES[use]).join(', '))}</td>
                <td class="number end">
                  {maxAmount === null ? (
                    <>
                      {minAmount === null ? 'Any' : digitsOf(minAmount)} <span class="faint">and more</span>
                    </>
                  ) : (
                    `${minAmount === null ? 'Up' : digitsOf(minAmount)} to ${digitsOf(maxAmount)}`
                  )}
                </td>
                <td class="faint drop words">{traitsText(traits)}</td>
              </tr>
            ))}
          </Table>
        )}
      </section>
    </>
  )
}

const PAYIN = ['Method', 'Kind', 'Usable for', ['Limits', 'number'], 'Traits'] as const

/** Returns the rows of methods below the names of their currencies, in the order in which these come first. */
function byCurrency<Method extends { readonly currency: string }>(
  methods: readonly Method[],
  row: (method: Method) => ComponentChildren,
) {
  return [...Map.groupBy(methods, ({ currency }) => currency)].map(([currency, ofIt]) => (
    <>
      <tr key={currency} class="group">
        <th scope="rowgroup" colSpan={5}>
          <span class="strong">{currency}</span> <span class="faint">{nameOfCode('currency', currency)}</span>
        </th>
      </tr>
      {ofIt.map(row)}
    </>
  ))
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

const NAMES: Readonly<Record<PayinMethodUse, string>> = { LINK: 'links', DIRECT: 'direct' }

type Traits = {
  readonly refundable: boolean | null
  readonly requiresContact: boolean | null
  readonly requiresKyc: boolean | null
  readonly openAmount: boolean
}

/** Returns whether a payment by a method can be refunded, and what it needs before it, or may leave out. */
function traitsText({ refundable, requiresContact, requiresKyc, openAmount }: Traits): string {
  const said = [
    refundable === true && 'refundable',
    refundable === false && 'no refunds',
    requiresContact === true && 'requires a contact',
    requiresKyc === true && 'requires identity checks',
    openAmount && 'any amount',
  ].filter((text) => text !== false)
  return said.length === 0 ? '–' : capitalised(said.join(', '))
}

function PayoutMethods({ params }: ListProps) {
  const answer = useAnswer(PayoutMethodsDocument, { currencies: currenciesOf(params) }, { everyMs: EVERY_MS })
  const list = answer.data?.payoutMethods
  return (
    <>
      <AnswerFailure of={answer} />
      {list !== undefined && list !== null && <Freshness of={list} />}
      <section class="card rows" aria-busy={answer.isOld} aria-label="Payout methods">
        {list == null || list.nodes.length === 0 ? (
          <Waiting of={answer} what="methods" />
        ) : (
          <Table caption="Payout methods" columns={['Method', 'Country', 'Kind']} class="methods" isFolding>
            {byCurrency(list.nodes, ({ code, countryCode, kind }) => (
              <tr key={code}>
                <th scope="row" class="lead">
                  <code>{code}</code>
                </th>
                <td class="faint drop">{countryCode ?? '–'}</td>
                <td class="faint end">{wordsOf(kind)}</td>
              </tr>
            ))}
          </Table>
        )}
      </section>
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
      <p class="note">
        Read from the payments API <Moment at={fetchedAt} />.{' '}
        {stale && <strong class="tone look">Out of date: the payments API has not answered since.</strong>}
      </p>
      {unavailable.length > 0 && (
        <p class="note-block fault">Not available, since the payments API did not answer: {unavailable.join(', ')}.</p>
      )}
    </>
  )
}
