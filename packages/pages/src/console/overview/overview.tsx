import { AccountsDocument, OverviewDocument, OverviewHealthDocument, type OverviewQuery } from '../generated/graphql.ts'
import { type Answer, AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Empty, Page, Skeleton, Table } from '../pieces/page.tsx'
import { Spark } from '../pieces/plots.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { goTo, hrefOf, type Route } from '../routes/route.ts'
import { useScope } from '../session/session.ts'
import { Failures, Methods, TimesToPaid } from './course.tsx'
import { type HealthNow, Needs } from './needs.tsx'
import {
  byInterval,
  intervalText,
  LENGTHS,
  numberText,
  type Period,
  periodUntil,
  rateOf,
  rateText,
  secondsText,
} from './period.ts'
import { Volume } from './volume.tsx'

/** Milliseconds between two reads of the statistics, and of the health. */
const EVERY_MS = 5_000
const HEALTH_MS = 3_000
/** Milliseconds between two reads of the balances: each asks the payments API. */
const BALANCES_MS = 60_000
/** Sites that are shown: those that fail, then the busiest. */
const MOST_SITES = 6

/** Where a session begins: what needs attention, then how payments fare. */
export function Overview({ route }: { readonly route: Route }) {
  const length = LENGTHS.find(({ name }) => name === route.params.get('period')) ?? LENGTHS[0]
  const period = periodUntil(Date.now(), length)
  const days = periodUntil(Date.now(), { name: '', interval: 'DAY', count: length.count === 30 ? 30 : 14 })
  const { from, before, interval } = period
  const variables = { from, before, interval, days: days.from, daysBefore: days.before }
  const answer = useAnswer(OverviewDocument, variables, { everyMs: EVERY_MS })
  const health = useAnswer(OverviewHealthDocument, {}, { everyMs: HEALTH_MS })
  const now = health.data?.paymentsHealth ?? null
  return (
    <Page
      title="Overview"
      actions={
        <div class="segments" role="group" aria-label="Period">
          {LENGTHS.map(({ name }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === length.name}
              onClick={() => goTo(hrefOf('overview', null, { period: name === LENGTHS[0].name ? null : name }))}
            >
              {name}
            </button>
          ))}
        </div>
      }
    >
      <AnswerFailure of={answer} />
      <AnswerFailure of={health} />
      <div class="grid rows overview" aria-busy={answer.isOld}>
        <Needs health={now} />
        <KeyFigures answer={answer} period={period} health={now} />
        {answer.data !== undefined && <Plots data={answer.data} period={period} days={days} />}
        {now !== null && <Sites health={now} />}
      </div>
    </Page>
  )
}

function Plots({
  data,
  period,
  days,
}: {
  readonly data: OverviewQuery
  readonly period: Period
  readonly days: Period
}) {
  const isEmpty = (data.whole?.[0]?.count ?? 0) === 0 && (data.volume ?? []).length === 0
  if (isEmpty)
    return (
      <section class="card" aria-label="Payments">
        <Empty title={`No payment was created in ${period.name}.`}>
          <p>The figures appear with the first one.</p>
        </Empty>
      </section>
    )
  return (
    <>
      <Volume data={data} days={days} />
      <Methods data={data} period={period} />
      <Failures data={data} period={period} />
      <TimesToPaid data={data} period={period} />
    </>
  )
}

type FiguresProps = {
  readonly answer: Answer<OverviewQuery>
  readonly period: Period
  readonly health: HealthNow | null
}

function KeyFigures({ answer: { data, isAsking }, period, health }: FiguresProps) {
  if (data === undefined)
    return (
      <section class="card c4" aria-label="Key figures">
        {isAsking && <Skeleton what="figures" />}
      </section>
    )
  const [whole, earlier] = [data.whole?.[0], data.earlier?.[0]]
  const course = byInterval(period, data.course ?? [])
  const name = (index: number) => intervalText(period.interval, period.starts[index] ?? 0)
  const recent = health?.webhooks.recent
  const times = whole?.timeToPaid
  const unit = period.interval === 'HOUR' ? 'hour' : 'day'
  return (
    <section class="card c4 keys-card" aria-label={`Key figures of ${period.name}`}>
      <div class="key-figure">
        <span class="name">Payments received</span>
        <span class="value">{numberText(whole?.paidCount ?? 0)}</span>
        <span class="delta">{numberText(earlier?.paidCount ?? 0)} before</span>
        <Spark
          label={`Payments received by ${unit}`}
          of={course.map((row, index) => ({
            name: name(index),
            value: row?.paidCount ?? 0,
            text: numberText(row?.paidCount ?? 0),
          }))}
        />
      </div>
      <div class="key-figure">
        <span class="name">Success rate</span>
        <span class="value">{rateText(rateOf(whole))}</span>
        <span class="delta">{rateText(rateOf(earlier))} before</span>
        <Spark
          label={`Success rate by ${unit}`}
          most={1}
          of={course.map((row, index) => ({ name: name(index), value: rateOf(row), text: rateText(rateOf(row)) }))}
        />
      </div>
      {recent !== undefined && recent.p95Ms !== null && (
        <div class="key-figure">
          <span class="name">Webhooks, p95</span>
          <span class="value">
            {numberText(recent.p95Ms)} <small>ms</small>
          </span>
          <span class="delta">Median {recent.medianMs} ms</span>
        </div>
      )}
      {times != null && (
        <div class="key-figure">
          <span class="name">Median to paid</span>
          <span class="value">{secondsText(times.medianSeconds)}</span>
          <span class="delta">90 % in {secondsText(times.p90Seconds)}</span>
        </div>
      )}
    </section>
  )
}

/** How the payments API answers each site, and what its account holds where that may be seen. */
function Sites({ health: { sites } }: { readonly health: HealthNow }) {
  const mayBalance = useScope('balances:read')
  const balances = useAnswer(AccountsDocument, {}, { pause: !mayBalance, everyMs: BALANCES_MS })
  const nodes = balances.data?.accountBalances?.nodes ?? []
  const isWell = ({ availability }: (typeof sites)[number]) => availability === 'AVAILABLE'
  const well = sites.filter(isWell).length
  const shown = sites
    .toSorted((a, b) => Number(isWell(a)) - Number(isWell(b)) || b.calls.count - a.calls.count)
    .slice(0, MOST_SITES)
  return (
    <section class="card" aria-labelledby="accounts">
      <header>
        <h2 id="accounts">Health of accounts</h2>
        <span class="sub push">
          {well} of {sites.length} sites, as this process sees them
        </span>
      </header>
      <Table
        caption="Health of accounts"
        isFolding
        columns={[
          'Site',
          'Payments API',
          ['Calls failed', 'number'],
          ['Last answer', 'number'],
          ['Methods read', 'number'],
          ...(mayBalance ? [['Available', 'number'] as const] : []),
        ]}
      >
        {shown.map(({ id, currencies, availability, calls, lastAnswerAt, methodsFetchedAt, methodsStale }) => (
          <tr key={id} class={availability === 'AVAILABLE' ? undefined : 'problem'}>
            <th scope="row">
              <a class="strong" href={hrefOf('health')}>
                {id}
              </a>{' '}
              <span class="faint">{currencies.join(', ')}</span>
            </th>
            <td class="end">
              <Status kind="PaymentsSiteAvailability" of={availability} />
            </td>
            <td class="number drop">
              {numberText(calls.failedCount)} of {numberText(calls.count)}
            </td>
            <td class="number">{lastAnswerAt === null ? 'None yet' : <Moment at={lastAnswerAt} />}</td>
            <td class="number drop">
              {methodsFetchedAt === null ? 'Never' : <Moment at={methodsFetchedAt} />}
              {methodsStale && <span class="tone look"> out of date</span>}
            </td>
            {mayBalance && (
              <td class="number end">
                {nodes
                  .filter(({ site }) => site === id)
                  .map(({ currency, available }) => (
                    <div key={currency}>
                      <Amount of={available} />
                    </div>
                  ))}
                {balances.data !== undefined && nodes.every(({ site }) => site !== id) && (
                  <span class="faint">Not known</span>
                )}
              </td>
            )}
          </tr>
        ))}
      </Table>
      {sites.length > MOST_SITES && (
        <footer>
          <a href={hrefOf('health')}>All {sites.length} sites</a>
        </footer>
      )}
    </section>
  )
}
