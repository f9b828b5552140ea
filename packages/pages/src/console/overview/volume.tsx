import type { OverviewQuery } from '../generated/graphql.ts'
import { Table } from '../pieces/page.tsx'
import { Bars } from '../pieces/plots.tsx'
import { Amount, amountText, nameOfCode } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import { byInterval, intervalText, numberText, type Period, rateText } from './period.ts'

type Props = { readonly data: OverviewQuery; readonly days: Period }

/** What was received in each currency on each day. Each has an axis of its own: currencies are never added up. */
export function Volume({ data, days }: Props) {
  const rows = (data.volume ?? []).filter(({ paidCount }) => paidCount > 0)
  const ends = [days.starts[0], days.starts.at(-1)].map((at) => intervalText('DAY', at ?? 0))
  if (rows.length === 0) return null
  return (
    <section class="card" aria-labelledby="volume">
      <header>
        <h2 id="volume">Volume by currency and day</h2>
        <span class="sub">
          Received of payments created {ends.join(' to ')}, days in UTC; today so far in blue. Currencies are never
          added up.
        </span>
      </header>
      <Table
        caption="Volume by currency and day"
        class="volume"
        isFolding
        columns={[
          'Currency',
          ends.join(' to '),
          ['Received', 'number'],
          ['Payments', 'number'],
          ['Refunded', 'number'],
          ['Change', 'number'],
        ]}
      >
        {rows.map(({ currency, paid, refunded, paidCount }) => {
          const course = byInterval(
            days,
            (data.volumeCourse ?? []).filter((row) => row.currency === currency),
          )
          const before = data.volumeBefore?.find((row) => row.currency === currency)?.paid
          return (
            <tr key={currency}>
              <th scope="row">
                <a class="strong" href={hrefOf('payments', null, { currency })}>
                  {currency}
                </a>{' '}
                <span class="faint drop">{nameOfCode('currency', currency ?? '')}</span>
              </th>
              <td class="bar-cell">
                <div class="mini now">
                  <Bars
                    label={`Received in ${currency} by day`}
                    isRunning
                    of={course.map((row, index) => ({
                      name: intervalText('DAY', days.starts[index] ?? 0),
                      value: Number(row?.paid?.value ?? 0),
                      text: row?.paid ? amountText(row.paid) : 'none',
                    }))}
                  />
                </div>
              </td>
              <td class="number strong">
                <Amount of={paid} />
              </td>
              <td class="number drop">{numberText(paidCount)}</td>
              <td class="number faint drop">
                <Amount of={refunded} />
              </td>
              <td class="number end drop faint">{changeText(Number(paid?.value), Number(before?.value ?? 0))}</td>
            </tr>
          )
        })}
      </Table>
    </section>
  )
}

function changeText(now: number, before: number): string {
  if (before === 0) return '–'
  const change = rateText(now / before - 1)
  return now > before ? `+${change}` : change
}
