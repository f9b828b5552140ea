import { describe, expect, it } from 'vitest'
import { findAgreement, IncompleteSearchError } from '../../../../src/upstream/endpoints/agreement-endpoints.ts'
import { clientOf, faultOf, site } from '../open.ts'
import { answer } from '../scripted-service.ts'

const now = new Date('2026-11-20T12:00:00.500Z')

const record = (n: number) => ({
  id: n,
  payment_agreement_id: `agreement-${n}`,
  client_transaction_id: `mandate-${n}`,
  status: 'active',
})

/** Creates a page of the search with the number of the next page; null on the last page. */
const page = (records: unknown[], next: number | null = null) =>
  answer(200, JSON.stringify({ page: next === null ? 1 : next - 1, size: 20, next_page: next, records }))

/** Returns the decoded query of a request line. */
const queryOf = (line = '') => Object.fromEntries(new URL(line.split(' ')[1] ?? '', 'http://service').searchParams)

describe('an agreement', () => {
  it('is found by the merchant’s id among others', async () => {
    const { service, client } = await clientOf(page([record(1), record(2), record(3)]))
    const found = await findAgreement(client, site(), { clientTransactionId: 'mandate-2', now })
    expect(found).toMatchObject({ id: 'agreement-2', serviceId: '2', clientTransactionId: 'mandate-2' })
    expect(service.requests.map(({ line }) => line.split('?')[0])).toEqual([
      'GET /api/v1/pay_to/payment_agreement/search',
    ])
  })

  it('is not the one that merely begins alike, nor one that names no id of the merchant', async () => {
    const { client_transaction_id: _none, ...nameless } = record(2)
    const { client } = await clientOf(page([record(20), nameless]))
    expect(await findAgreement(client, site(), { clientTransactionId: 'mandate-2', now })).toBeNull()
    expect(await findAgreement(client, site(), { clientTransactionId: '', now })).toBeNull()
  })

  it('is looked for on the pages that follow, and no further than it is found', async () => {
    const { service, client } = await clientOf(page([record(1)], 2), page([record(2)], 3), page([record(3)]))
    const found = await findAgreement(client, site(), { clientTransactionId: 'mandate-2', now })
    expect(found?.id).toBe('agreement-2')
    expect(service.requests.map(({ line }) => queryOf(line)['page'])).toEqual(['1', '2'])
  })

  it('is absent when no page of any span has it', async () => {
    const spans = Array.from({ length: 4 }, () => page([]))
    const { service, client } = await clientOf(page([record(1)], 2), page([record(2)]), ...spans)
    expect(await findAgreement(client, site(), { clientTransactionId: 'mandate-9', now })).toBeNull()
    expect(service.requests).toHaveLength(6)
  })

  it('is found however many were made on the same day', async () => {
    const pages = Array.from({ length: 30 }, (_, index) => page([record(index)], index + 2))
    const { service, client } = await clientOf(...pages)
    expect((await findAgreement(client, site(), { clientTransactionId: 'mandate-29', now }))?.id).toBe('agreement-29')
    expect(service.requests).toHaveLength(30)
  })

  it('is not said to be absent where there are more pages than one search may take', async () => {
    const pages = Array.from({ length: 101 }, (_, index) => page([record(index)], index + 2))
    const { service, client } = await clientOf(...pages)
    await expect(findAgreement(client, site(), { clientTransactionId: 'mandate-100', now })).rejects.toThrow(
      IncompleteSearchError,
    )
    expect(service.requests).toHaveLength(100)
  })
})

describe('the span of time', () => {
  const spansOf = (requests: readonly { line: string }[]) =>
    requests.map(({ line }) => [queryOf(line)['from_date'] ?? '', queryOf(line)['to_date'] ?? ''])

  it('is a day around the time at which it was made, the nearest first', async () => {
    const { service, client } = await clientOf(...Array.from({ length: 5 }, () => page([])))
    const createdAt = new Date('2024-01-01T00:00:00Z')
    await findAgreement(client, site(), { clientTransactionId: 'mandate-1', now, createdAt })
    expect(spansOf(service.requests)).toEqual([
      ['2023-12-31T23:59:00', '2024-01-01T00:01:00'],
      ['2023-12-31T23:00:00', '2023-12-31T23:59:00'],
      ['2024-01-01T00:01:00', '2024-01-01T01:00:00'],
      ['2023-12-31T00:00:00', '2023-12-31T23:00:00'],
      ['2024-01-01T01:00:00', '2024-01-02T00:00:00'],
    ])
  })
})

it('rejects when the payments API refuses, instead of saying that there is none', async () => {
  const { client } = await clientOf(page([record(1)], 2), answer(422, '{"errors":{"message":"Wrong dates"}}'))
  const fault = await faultOf(findAgreement(client, site(), { clientTransactionId: 'mandate-2', now }))
  expect(fault.detail).toMatchObject({ kind: 'refused', httpStatus: 422 })
})
