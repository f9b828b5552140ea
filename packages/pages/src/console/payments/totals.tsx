import { useMutation } from '@urql/preact'
import type { ComponentChildren } from 'preact'
import { Icon } from '../../design/icons.tsx'
import {
  ExportPaymentsDocument,
  type PaymentsFilter,
  type PaymentStatisticsGroup,
  PaymentTotalsDocument,
} from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useAnswer, useSingle } from '../pieces/answers.tsx'
import { sumsOf } from '../pieces/sums.ts'
import { Amount, type AmountValue } from '../pieces/values.tsx'
import { download } from './export-payments.tsx'
import type { PaymentRow } from './payment-table.tsx'

const HOUR_MS = 3_600_000
/** Milliseconds between two reads of the totals. */
const EVERY_MS = 5_000

/**
 * The totals of a list, as far as the statistics have its filters: by creation to the hour, currency, site, phase and status. For any
 * other filter the rows of the page are counted.
 */
export function Totals({ filter, rows }: { readonly filter: PaymentsFilter; readonly rows: readonly PaymentRow[] }) {
  const variables = { from: filter.createdFrom ?? null, to: filter.createdBefore ?? null, by: groupsOf(filter) }
  const isCounted = mayBeCounted(filter)
  const { data } = useAnswer(PaymentTotalsDocument, variables, { pause: !isCounted, everyMs: EVERY_MS })
  if (!isCounted)
    return (
      <Figures label="Totals of this page">
        <Figure name="On this page">{rows.length} payments</Figure>
        <Sums name="Amount" of={rows.map(({ amount }) => amount)} />
      </Figures>
    )
  const found = (data?.paymentStatistics ?? []).filter((row) => isIn(row, filter))
  const count = (name: 'count' | 'paidCount' | 'unpaidCount') => found.reduce((sum, row) => sum + row[name], 0)
  const ended = count('paidCount') + count('unpaidCount')
  return (
    <Figures label="Totals of the list">
      <Figure name="Payments">{data === undefined ? '…' : count('count').toLocaleString(navigator.language)}</Figure>
      <Sums name="Received" of={found.map(({ paid }) => paid)} />
      <Sums name="Refunded" of={found.map(({ refunded }) => refunded)} />
      {ended > 0 && (
        <Figure name="Success rate">
          {new Intl.NumberFormat(navigator.language, { style: 'percent', maximumFractionDigits: 1 }).format(
            count('paidCount') / ended,
          )}
        </Figure>
      )}
    </Figures>
  )
}

type SelectionProps = { readonly rows: readonly PaymentRow[]; readonly onClear: () => void }

/** The selected payments: their totals, and what can be done with them. It stands in the place of the totals of the list. */
export function Selection({ rows, onClear }: SelectionProps) {
  const [{ error, data }, execute] = useMutation(documentOf(ExportPaymentsDocument))
  const [isBusy, exportRows] = useSingle(async () => {
    const filter = { ids: rows.map(({ id }) => id) }
    const answer = await execute({ input: { filter, format: 'CSV', includePayers: false } })
    const result = answer.data?.createPaymentsExport
    if (result?.__typename === 'PaymentsExport') download(result.url)
  })
  const result = data?.createPaymentsExport
  return (
    <>
      <div class="totals selection" role="group" aria-label="Selected payments">
        <span class="hidden-text" role="status">
          {rows.length} selected
        </span>
        <dl>
          <Figure name="Selected">
            {rows.length} {rows.length === 1 ? 'payment' : 'payments'}
          </Figure>
          <Sums name="Amount" of={rows.map(({ amount }) => amount)} />
        </dl>
        <span class="row push">
          <button class="button" type="button" aria-busy={isBusy} disabled={isBusy} onClick={exportRows}>
            <Icon name="download" />
            <span>CSV of the selection</span>
          </button>
          <button class="button quiet icon-only" type="button" aria-label="Clear the selection" onClick={onClear}>
            <Icon name="close" />
          </button>
        </span>
      </div>
      <RequestFailure error={error} />
      {result !== undefined && result !== null && 'code' in result && <FailureNotice failure={result} />}
    </>
  )
}

function Figures({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div class="totals" role="group" aria-label={label} tabIndex={0}>
      <dl>{children}</dl>
    </div>
  )
}

function Figure({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** One sum for each currency: they are never added up. */
function Sums({ name, of }: { readonly name: string; readonly of: readonly (AmountValue | null)[] }) {
  return (
    <>
      {sumsOf(of)
        .filter(({ value }) => Number(value) !== 0)
        .map((sum, index) => (
          <div key={sum.currency}>
            <dt class={index > 0 ? 'hidden-text' : undefined}>{name}</dt>
            <dd>
              <Amount of={sum} />
            </dd>
          </div>
        ))}
    </>
  )
}

function groupsOf({ site, phases, statuses }: PaymentsFilter): PaymentStatisticsGroup[] {
  return [
    'CURRENCY',
    ...(site == null ? [] : ['SITE' as const]),
    ...(phases == null ? [] : ['PHASE' as const]),
    ...(statuses == null ? [] : ['STATUS' as const]),
  ]
}

/** Whether the statistics have the filter: they know no last change, and count by the hour. */
function mayBeCounted({
  updatedFrom,
  updatedBefore,
  amount,
  methodCode,
  cardLast4,
  duplicate,
  ...filter
}: PaymentsFilter) {
  const others = [updatedFrom, updatedBefore, amount, methodCode, cardLast4, duplicate]
  const bounds = [filter.createdFrom, filter.createdBefore]
  return others.every((one) => one == null) && bounds.every((at) => at == null || Date.parse(at) % HOUR_MS === 0)
}

type Counted = {
  readonly currency: string | null
  readonly site: string | null
  readonly phase: string | null
  readonly status: string | null
}

function isIn(row: Counted, { currency, site, phases, statuses }: PaymentsFilter): boolean {
  const allows = (names: readonly string[] | null | undefined, name: string | null) =>
    names == null || (name !== null && names.includes(name))
  return (
    (currency == null || row.currency === currency) &&
    (site == null || row.site === site) &&
    allows(phases, row.phase) &&
    allows(statuses, row.status)
  )
}
