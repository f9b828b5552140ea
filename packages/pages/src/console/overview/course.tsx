import type { OverviewQuery, PaymentFailureCategory } from '../generated/graphql.ts'
import { Table } from '../pieces/page.tsx'
import { Bars } from '../pieces/plots.tsx'
import { wordsOf } from '../pieces/values.tsx'
import { byInterval, intervalText, numberText, type Period, rateOf, rateText, secondsText } from './period.ts'

type Props = { readonly data: OverviewQuery; readonly period: Period }

/** How many of the payments that have ended were paid, by method and interval. */
export function Methods({ data, period }: Props) {
  const rows = (data.methods ?? [])
    .filter((row) => rateOf(row) !== null)
    .toSorted((a, b) => b.paidCount + b.unpaidCount - a.paidCount - a.unpaidCount)
  const unit = period.interval === 'HOUR' ? 'hour' : 'day'
  if (rows.length === 0) return null
  return (
    <section class="card c7" aria-labelledby="success">
      <header>
        <h2 id="success">Success by method and {unit}</h2>
        <span class="sub push">Paid of ended, {period.name}</span>
      </header>
      <Table
        caption={`Success by method and ${unit}`}
        class="volume"
        isFolding
        columns={['Method', `By ${unit}`, ['Paid of ended', 'number'], ['Rate', 'number']]}
      >
        {rows.map((row) => {
          const name = row.methodKind === null ? 'Not known' : wordsOf(row.methodKind)
          const course = (data.methodCourse ?? []).filter(({ methodKind }) => methodKind === row.methodKind)
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="bar-cell">
                <div class="mini here">
                  <Bars
                    label={`Success of ${name} by ${unit}`}
                    most={1}
                    of={byInterval(period, course).map((ended, index) => ({
                      name: intervalText(period.interval, period.starts[index] ?? 0),
                      value: rateOf(ended),
                      text: rateText(rateOf(ended)),
                    }))}
                  />
                </div>
              </td>
              <td class="number faint drop">
                {numberText(row.paidCount)} of {numberText(row.paidCount + row.unpaidCount)}
              </td>
              <td class="number strong end">{rateText(rateOf(row))}</td>
            </tr>
          )
        })}
      </Table>
    </section>
  )
}

/** What helps most often after a failure of a category; each payment names what helps there. */
const HELPS: Readonly<Partial<Record<PaymentFailureCategory, string>>> = {
  CUSTOMER_ACTION: 'The same again',
  CARD_DETAILS: 'The same again, corrected',
  FUNDS: 'Another method or card',
  AUTHENTICATION: 'Another method or card',
  AMOUNT: 'Another amount',
  RISK: 'Nothing: do not retry',
  ISSUER: 'Another method or card',
  MERCHANT_SETUP: 'Nothing: the set-up is wrong',
  TECHNICAL: 'The same again, later',
}

/** The payments that were not paid, by the reason. */
export function Failures({ data, period }: Props) {
  const rows = (data.failures ?? [])
    .filter(({ unpaidCount }) => unpaidCount > 0)
    .map(({ failureCategory: category, phase, unpaidCount }) => ({
      name: category !== null ? wordsOf(category) : phase === 'EXPIRED' ? 'Expired' : 'No reason given',
      helps: category === null ? undefined : HELPS[category],
      tone: phase === 'EXPIRED' ? 'over' : 'fault',
      unpaidCount,
    }))
    .toSorted((a, b) => b.unpaidCount - a.unpaidCount)
  const most = rows[0]?.unpaidCount ?? 0
  if (most === 0) return null
  return (
    <section class="card c5" aria-labelledby="failures">
      <header>
        <h2 id="failures">Failures by category</h2>
        <span class="sub push">{period.name}, and what helps</span>
      </header>
      <div class="body">
        <ul class="bars">
          {rows.map(({ name, helps, tone, unpaidCount }) => (
            <li key={name} class={tone}>
              <span>
                {name} <span class="faint small">{helps}</span>
              </span>
              <span class="figure">{numberText(unpaidCount)}</span>
              <span class="track">
                <i style={{ '--part': unpaidCount / most }} />
              </span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

/** How long it took from link to payment. */
export function TimesToPaid({ data, period }: Props) {
  const times = data.whole?.[0]?.timeToPaid ?? null
  if (times === null) return null
  const most = Math.max(...times.ranges.map(({ count }) => count))
  const names = times.ranges.map(({ upToSeconds }) =>
    upToSeconds === null ? 'longer' : `up to ${secondsText(upToSeconds)}`,
  )
  return (
    <section class="card" aria-labelledby="paid">
      <header>
        <h2 id="paid">Time from link to paid</h2>
        <span class="sub push">
          {numberText(times.count)} payments in {period.name}, half within {secondsText(times.medianSeconds)}
        </span>
      </header>
      <div class="body">
        <div class="chart now" style={{ '--tall': '8rem' }}>
          <Bars
            label="Payments by their time from link to paid"
            of={times.ranges.map(({ count }, index) => ({
              name: names[index] ?? '',
              value: count,
              text: numberText(count),
            }))}
          />
          <div class="scale" aria-hidden="true">
            <span>{numberText(most)}</span>
            <span>0</span>
          </div>
          <div class="ticks" aria-hidden="true">
            {names.map((name) => (
              <span key={name}>{name.replace('up to ', '')}</span>
            ))}
          </div>
        </div>
      </div>
    </section>
  )
}
