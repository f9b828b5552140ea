import { describe, expect, it } from 'vitest'
import { createOperationTextReader } from '../../../../src/http/overload/admit-graphql.ts'

const read = createOperationTextReader({
  mutations: ['createPaymentLink', 'refundPayment'],
  documentOf: (id) =>
    id === 'known' ? 'mutation Make($input: Input!) { createPaymentLink(input: $input) { id } }' : null,
})
const body = (query: string, variables: unknown = {}) => JSON.stringify({ query, variables })

describe('the kind of an operation', () => {
  it.each([
    ['query', body('{ paymentLinks { nodes { id } } }')],
    ['query', body('query Mutations { permutation mutationOf }')],
    ['query', ''],
    ['query', 'no JSON'],
    ['mutation', body('mutation { refundPayment }')],
    ['mutation', body('# first\nmutation Refund($a: ID!) { refundPayment(id: $a) }')],
    ['mutation', body('fragment F on Link { id }\n\nmutation{ refundPayment }')],
    ['mutation', body('\r\n\t mutation @live { refundPayment }')],
    ['mutation', '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"known"}}}'],
    ['mutation', '{"documentId": "known"}'],
    ['query', '{"documentId": "unknown"}'],
    ['subscription', body('subscription Live { paymentLinkUpdates { kind } }')],
  ] as const)('is %s: %s', (kind, text) => expect(read(text).kind).toBe(kind))
})

describe('the commands that a mutation may stand for', () => {
  it('are found in variables, and in the document', () => {
    const variables = { input: { idempotencyKey: 'order-1', reference: 'x' } }
    const expected = [{ mutation: 'createPaymentLink', key: 'order-1' }]
    expect(read(body('mutation ($input: I!) { createPaymentLink(input: $input) { id } }', variables)).commands).toEqual(
      expected,
    )
    expect(read(body('mutation { createPaymentLink(input: {idempotencyKey: "order-1"}) { id } }')).commands).toEqual(
      expected,
    )
    expect(read(JSON.stringify({ documentId: 'known', variables })).commands).toEqual(expected)
  })

  it('are none of a query, and few however many keys there are', () => {
    expect(read(body('{ a(idempotencyKey: "order-1") }')).commands).toEqual([])
    const keys = Array.from({ length: 50 }, (_, index) => `a${index}: refundPayment(idempotencyKey: "${index}")`)
    expect(read(body(`mutation { ${keys.join(' ')} }`)).commands).toHaveLength(4)
  })
})
