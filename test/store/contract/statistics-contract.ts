import { type Arbitrary, constantFrom, nat, record } from 'fast-check'
import { expect, it } from 'vitest'
import { sumDecimals } from '../../../src/domain/money/money.ts'
import { PAYMENT_STATUSES } from '../../../src/domain/payments/payment-report.ts'
import type { Payment } from '../../../src/domain/payments/payment.ts'
import type { Store } from '../../../src/ledger/store.ts'
import type { PaymentStatisticsRow, StatisticsQuery } from '../../../src/store/port.ts'
import { after, delivery, MINUTE, NOW, report, settledLink } from './builders.ts'
import { found, importing, PAYINS } from './import-builders.ts'
import { failingHistory, type RandomHistories } from './random-history.ts'
import type { Fixture, OpenStore } from './store-contract.ts'

const HOUR = 60 * MINUTE
const ALL: StatisticsQuery = {
  from: null,
  to: null,
  interval: null,
  by: [],
  riskAs: 'RISK',
  sums: true,
  times: true,
  limit: 10_000,
}
const BY = ['currency', 'site', 'methodKind', 'phase', 'status', 'failureCategory'] as const

/** Rows in one order. */
async function read(store: Store, query: Partial<StatisticsQuery> = {}): Promise<PaymentStatisticsRow[]> {
  const rows = await store.statistics.read({ ...ALL, ...query })
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

async function everything(store: Store) {
  const intervals = ['HOUR', 'DAY', null] as const
  return Promise.all(intervals.map((interval) => read(store, { interval, by: BY })))
}

/** Compares with a rebuild, and with the listed payments. */
async function examine(store: Store): Promise<void> {
  const kept = await everything(store)
  await store.statistics.rebuild()
  expect(kept).toEqual(await everything(store))
  const { rows } = await store.payments.page({ limit: 100, before: null }, {})
  const payments = rows.map(({ row }) => row)
  for (const { group, sums, payments: count } of await read(store, { by: ['currency', 'phase'] })) {
    const same = payments.filter(({ phase, details }) => phase === group.phase && details.currency === group.currency)
    expect(count).toBe(same.length)
    expect(Number(sums.amount)).toBe(Number(totalOf(same, 'amount')))
    expect(Number(sums.refunded)).toBe(Number(totalOf(same, 'refunded')))
  }
  const [all] = await read(store)
  expect(all?.payments ?? 0).toBe(payments.length)
}

function totalOf(payments: readonly Payment[], name: 'amount' | 'refunded'): string {
  return sumDecimals(payments.map(({ details }) => details[name] ?? '0'))
}

type Step = {
  readonly act: 'deliver' | 'read' | 'import' | 'replay' | 'erase' | 'dismiss'
  readonly payment: number
  readonly status: string
  readonly cents: number
  readonly day: number
}

const step: Arbitrary<Step> = record({
  act: constantFrom('deliver', 'deliver', 'deliver', 'read', 'import', 'replay', 'erase', 'dismiss'),
  payment: nat(4),
  status: constantFrom(...PAYMENT_STATUSES, 'quite_new'),
  cents: nat(99),
  day: nat(2),
})

export function statisticsContract(fixture: Fixture, open: OpenStore): void {
  const { store } = fixture

  it('gives after any history what a rebuild gives, and what the list has', async () => {
    const histories: RandomHistories<Step> = {
      step,
      longest: 25,
      async begin(opened) {
        for (const ref of ['a', 'b']) await settledLink(opened, ref, { reference: 'order-1' })
        return (next, index) => play({ ...fixture, store: opened }, next, index)
      },
      examine,
    }
    expect(await failingHistory({ fixture, open }, histories)).toBeNull()
  })

  it('adds amounts up exactly, by currency and day', async () => {
    const amounts = [
      ['AUD', '0.10', 0],
      ['AUD', '0.20', 0],
      ['AUD', '1250.505', 1],
      ['USDC', '0.000001', 1],
      ['VND', '412950000', 1],
    ] as const
    for (const [index, [currency, amount, day]] of amounts.entries()) {
      const createdAt = after(day * 24 * HOUR).toISOString()
      const details = { currency, amount, createdAt }
      await store.inbox.receive(delivery(report('received', { paymentId: `P${index}`, details })))
    }
    const rows = await read(store, { interval: 'DAY', by: ['currency'] })
    expect(
      rows.map(({ start, group, sums }) => [new Date(start ?? 0).toISOString(), group.currency, sums.amount]),
    ).toEqual([
      ['2030-01-02T00:00:00.000Z', 'AUD', '0.3'],
      ['2030-01-03T00:00:00.000Z', 'AUD', '1250.505'],
      ['2030-01-03T00:00:00.000Z', 'USDC', '0.000001'],
      ['2030-01-03T00:00:00.000Z', 'VND', '412950000'],
    ])
  })

  it('counts the payments of full hours, over days or within one', async () => {
    for (const hours of [-30, -25, -1, 0, 1, 30])
      await store.inbox.receive(
        delivery(
          report('received', { paymentId: `P${hours}`, details: { createdAt: after(hours * HOUR).toISOString() } }),
        ),
      )
    const counted = async (from: number | null, to: number | null, interval: StatisticsQuery['interval'] = null) => {
      const at = (hours: number | null) => (hours === null ? null : after(hours * HOUR).getTime())
      const rows = await read(store, { from: at(from), to: at(to), interval })
      return rows.reduce((sum, { payments }) => sum + payments, 0)
    }
    expect(await counted(null, null)).toBe(6)
    expect(await counted(-25, 0.01)).toBe(3)
    expect(await counted(-25, 0.01, 'DAY')).toBe(3)
    expect(await counted(-25, 0.01, 'HOUR')).toBe(3)
    expect(await counted(-0.01, 0.5)).toBe(1)
    expect(await counted(1, null)).toBe(2)
    expect(await counted(null, -1)).toBe(3)
    expect(await counted(2, 1)).toBe(0)
  })

  it('counts who has paid, what is twice, what needs attention, and how long it took', async () => {
    await settledLink(store, 'a')
    await settledLink(store, 'b', { reference: 'order-a' })
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P1' }), { ref: 'a', receivedAt: NOW }))
    await store.inbox.receive(
      delivery(report('received', { paymentId: 'P1' }), { ref: 'a', receivedAt: after(45_000) }),
    )
    await store.inbox.receive(
      delivery(report('received', { paymentId: 'P2' }), { ref: 'b', receivedAt: after(10_000) }),
    )
    const failed = { paymentId: 'P3', details: { failureCode: 'insufficient_funds' } }
    await store.inbox.receive(delivery(report('failed', failed)))
    await store.inbox.receive(delivery(report('in_dispute', { paymentId: 'P4' })))
    const [row] = await read(store)
    expect(row).toMatchObject({ payments: 4, paid: 3, unpaid: 1, duplicates: 1, needingAttention: 2 })
    expect(row?.paidTimes).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    const failures = await read(store, { by: ['failureCategory', 'site'] })
    expect(
      new Set(failures.map(({ group, payments }) => `${group.failureCategory} ${group.site} ${payments}`)),
    ).toEqual(new Set(['null au 2', 'FUNDS null 1', 'null null 1']))
  })
}

async function play(fixture: Fixture, { act, payment, status, cents, day }: Step, index: number): Promise<void> {
  const { store } = fixture
  const at = after(index * MINUTE)
  const paymentId = `P${payment}`
  const ref = ['a', 'b'][payment] ?? null
  const details = {
    amount: payment === 4 ? null : `${payment}.10`,
    refunded: `0.${cents}`,
    methodRaw: ['card', 'au_payid_aud', null][payment] ?? null,
    failureCode: status === 'failed' ? 'fraudulent' : null,
    createdAt: cents % 3 === 0 ? after(day * 24 * HOUR).toISOString() : null,
  }
  const said = report(status, { paymentId, details })
  if (act === 'deliver') await store.inbox.receive(delivery(said, { ref, receivedAt: at }))
  else if (act === 'read') {
    const subject = await store.reads.subject(paymentId)
    if (subject !== null) await store.reads.record(subject, said, at, null)
  } else if (act === 'import') {
    const { begin, record: recordPage } = importing(fixture)
    const plan = { plan: { from: NOW.getTime() - MINUTE, to: at.getTime() + index, parts: [PAYINS] } }
    await recordPage(await begin([PAYINS], plan), [found(said, { ref })], { list: 'PAYINS' })
  } else if (act === 'replay') {
    const { rows } = await store.inbox.page({ limit: 1, before: null }, {})
    for (const { id } of rows)
      await store.inbox.replay({ id, apply: true, at, parse: { payment: () => said, agreement: () => null } })
  } else if (act === 'erase') {
    if ((await store.payments.byIds([paymentId])).length === 0) return
    const asked = { kind: 'PAYMENT', value: paymentId, valueHash: 'hash', requestedBy: null, requestedAt: at } as const
    await store.erasures.step((await store.erasures.begin(asked)).number, at)
  } else await store.commands.dismissDuplicate(paymentId, at)
}
