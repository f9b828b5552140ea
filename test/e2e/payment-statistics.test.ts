import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressOf, defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'

type Amount = { value: string; currency: string } | null
type Statistics = {
  start: string | null
  currency: string | null
  status: string | null
  failureCategory: string | null
  methodKind: string | null
  count: number
  paidCount: number
  unpaidCount: number
  amount: Amount
  refunded: Amount
  timeToPaid: { count: number; medianSeconds: number; ranges: { upToSeconds: number | null; count: number }[] } | null
}

const STATISTICS = `query S($from: DateTime, $to: DateTime, $interval: PaymentStatisticsInterval, $by: [PaymentStatisticsGroup!]) {
  paymentStatistics(from: $from, to: $to, interval: $interval, by: $by) {
    start currency status failureCategory methodKind count paidCount unpaidCount amount { value currency } refunded { value currency }
    timeToPaid { count medianSeconds ranges { upToSeconds count } }
  }
}`

let network: Network
beforeAll(async () => {
  network = await startNetwork()
  const bodies = [
    { status: 'received', amount: '0.10', created_at: '2026-11-20T10:00:00Z', payment_method: 'au_payid_aud' },
    { status: 'received', amount: '0.20', created_at: '2026-11-20T23:59:59Z', payment_method: 'au_card_aud' },
    {
      status: 'partially_refunded',
      amount: '9.99',
      created_at: '2026-11-21T00:00:00Z',
      refund_information: { refund_amount: '1.01' },
    },
    { status: 'failed', amount: '7.00', created_at: '2026-11-21T01:00:00Z', pay_code: { error_code: 'fraudulent' } },
    { status: 'received', amount: '1200000', currency: 'VND', created_at: '2026-11-21T02:00:00Z' },
  ]
  for (const body of bodies) await deliver(defaultAddress(network), paymentBody(body))
})
afterAll(() => network.close())

async function ask(variables: Record<string, unknown> = {}, token?: string): Promise<Statistics[]> {
  const { data, errors } = await network.ask<{ paymentStatistics: Statistics[] }>(
    STATISTICS,
    variables,
    token === undefined ? {} : { token },
  )
  expect(errors).toBeUndefined()
  return data.paymentStatistics
}

// promise(money): The statistics of payments have the totals of the export, by currency and day.
it('has the totals of the export, by currency and day', async () => {
  const { data } = await network.ask<{ createPaymentsExport: { url: string } }>(
    `mutation { createPaymentsExport(input: { format: NDJSON }) { ... on PaymentsExport { url } } }`,
  )
  const lines = (await (await fetch(data.createPaymentsExport.url)).text()).trimEnd().split('\n')
  const { totals } = JSON.parse(lines.at(-1) ?? '') as {
    totals: { day: string; currency: string; count: number; amount: string; refunded: string }[]
  }
  const sums = new Map<string, { count: number; cents: number; refunded: number }>()
  // Links of other tests are of today, and the payments API has told no day of their payments.
  for (const { day, currency, count, amount, refunded } of totals.filter((total) => total.day !== null)) {
    const sum = sums.get(`${day} ${currency}`) ?? { count: 0, cents: 0, refunded: 0 }
    sum.count += count
    sum.cents += Math.round(Number(amount) * 100)
    sum.refunded += Math.round(Number(refunded) * 100)
    sums.set(`${day} ${currency}`, sum)
  }
  const rows = await ask({ to: '2026-11-22T00:00:00Z', interval: 'DAY', by: ['CURRENCY'] })
  const cents = (amount: Amount) => Math.round(Number(amount?.value) * 100)
  expect([...sums.keys()].toSorted()).toEqual(['2026-11-20 AUD', '2026-11-21 AUD', '2026-11-21 VND'])
  expect(
    new Map(
      rows.map(({ start, currency, count, amount, refunded }) => [
        `${start?.slice(0, 10)} ${currency}`,
        { count, cents: cents(amount), refunded: cents(refunded) },
      ]),
    ),
  ).toEqual(sums)
})

it('groups by method and hour, and adds no amounts of different currencies', async () => {
  const rows = await ask({
    from: '2026-11-20T10:30:00Z',
    to: '2026-11-21T00:30:00Z',
    interval: 'HOUR',
    by: ['METHOD_KIND', 'STATUS'],
  })
  expect(rows).toMatchObject([
    { start: '2026-11-20T10:00:00.000Z', methodKind: 'ALIAS', status: 'RECEIVED', paidCount: 1, amount: null },
    { start: '2026-11-20T23:00:00.000Z', methodKind: 'CARD', status: 'RECEIVED', paidCount: 1, amount: null },
    { start: '2026-11-21T00:00:00.000Z', methodKind: 'CARD', status: 'PARTIALLY_REFUNDED', paidCount: 1 },
  ])
})

it('tells the category RISK with payments:risk alone', async () => {
  const failed = { from: '2026-11-21T01:00:00Z', to: '2026-11-21T02:00:00Z', by: ['FAILURE_CATEGORY'] }
  expect(await ask(failed)).toMatchObject([{ failureCategory: 'RISK', unpaidCount: 1 }])
  const token = await network.token({ scopes: ['payments:read'] })
  expect(await ask(failed, token)).toMatchObject([{ failureCategory: 'UNKNOWN', unpaidCount: 1 }])
})

it('tells how long it took from a link to its payment', async () => {
  const link = await createLink(network)
  await deliver(await addressOf(network, link), paymentBody({ status: 'received' }))
  const [row] = await ask()
  expect(row?.timeToPaid).toMatchObject({ count: 1, ranges: expect.arrayContaining([{ upToSeconds: 15, count: 1 }]) })
  expect(row?.timeToPaid?.medianSeconds).toBeLessThanOrEqual(15)
})

it.each([
  [{ from: '2026-11-21T00:00:00Z', to: '2026-11-20T00:00:00Z' }, 'to'],
  [{ interval: 'HOUR' }, 'from'],
  [{ interval: 'HOUR', from: '2026-11-01T00:00:00Z', to: '2026-11-20T00:00:00Z' }, 'from'],
])('refuses %j', async (variables, argument) => {
  const { errors } = await network.ask(STATISTICS, variables)
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument })
})
