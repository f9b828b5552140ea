import type { ImportNowQuery } from '../generated/graphql.ts'
import { lookOf } from '../pieces/statuses.ts'
import { Marked, wordsOf } from '../pieces/values.tsx'

type Total = NonNullable<ImportNowQuery['paymentImport']>['totals'][number]
type Whose = 'theirs' | 'ours' | 'difference'

const NAMES = ['Theirs', 'Ours', 'Difference']
const EQUAL = { ...lookOf('PaymentWebhookDisposition', 'NO_CHANGE'), word: 'Equal' }

/** The sums of the payments API beside ours, by kind and currency: of all sites, and of each where several have the currency. */
export function Sums({ of: totals }: { readonly of: readonly Total[] }) {
  const rows = totals.filter((total) => total.site === null || sitesOf(totals, total) > 1)
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="sums">
      <h2 id="sums">Sums before anything was recorded</h2>
      <div class="table-wrap edge" role="group" aria-label="Sums" tabIndex={0}>
        <table class="table folds sums">
          <caption class="hidden-text">Sums</caption>
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>
                What
              </th>
              {NAMES.map((name) => (
                <th key={name} scope="colgroup" colSpan={2} class="over-two">
                  {name}
                </th>
              ))}
            </tr>
            <tr>
              {NAMES.flatMap((name) =>
                ['Count', 'Paid'].map((figure) => (
                  <th key={`${name} ${figure}`} scope="col" class="number">
                    {figure}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((total) => (
              <tr key={`${total.site} ${total.kind} ${total.currency}`}>
                <th scope="row" class="lead">
                  {wordsOf(total.kind)} <span class="strong">{total.currency}</span>{' '}
                  {total.site !== null && <span class="faint">{total.site}</span>}
                </th>
                {(['theirs', 'ours'] as const).map((whose) => (
                  <>
                    <td class="number drop">{total[whose].count}</td>
                    <td class="number drop">{sumText(total, whose)}</td>
                  </>
                ))}
                <td class="number drop">
                  <Signed text={String(total.difference.count)} />
                </td>
                <td class="number end lead">
                  {isEqual(total) ? <Marked look={EQUAL} /> : <Signed text={sumText(total, 'difference')} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Signed({ text }: { readonly text: string }) {
  if (Number.parseFloat(text.replace(/[^\d.-]/g, '')) === 0) return <span class="faint">{text}</span>
  return <span class="tone look medium">{/^[-−]/.test(text) ? text : `+${text}`}</span>
}

function sitesOf(totals: readonly Total[], { kind, currency }: Total): number {
  return totals.filter((one) => one.site !== null && one.kind === kind && one.currency === currency).length
}

function isEqual({ difference: { count, amount, paid, refunded } }: Total): boolean {
  return count === 0 && [amount, paid, refunded].every((sum) => Number(sum) === 0)
}

/** Returns what was paid, of payouts their amount, with the decimals of the currency. */
function sumText(total: Total, whose: Whose): string {
  const { amount, paid } = total[whose]
  const { maximumFractionDigits: decimals = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: total.currency,
  }).resolvedOptions()
  const format = new Intl.NumberFormat(navigator.language, { minimumFractionDigits: decimals })
  return format.format((total.kind === 'PAYOUTS' ? amount : paid) as Intl.StringNumericLiteral)
}
