import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_SCOPES } from '../../src/access/caller.ts'
import { createAgreement } from '../support/agreements.ts'
import { CANARY, type CanaryAnswer, type CanaryService, startCanaryService } from '../support/canary-service.ts'
import { agreementInput, amendmentInput, gatewayInput, newKey, payinInput, payoutInput } from '../support/inputs.ts'
import { made, mutate, mutationOf, type MutationName } from '../support/mutations.ts'
import { type Answer, startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, createLink, type CreatedLink, linkInput } from '../support/operations.ts'
import { BY_HAND, createPayin } from '../support/payins.ts'
import { REFRESH } from '../support/payments.ts'

let network: Network
let service: CanaryService
let link: CreatedLink
let ids: { payin: string; pending: string; statusToken: string; agreement: string; payout: string; qr: string }

beforeAll(async () => {
  service = await startCanaryService()
  network = await startNetwork({ upstreamUrl: service.url, sandbox: BY_HAND })
  service.target = network.sandbox.origin
  link = await createLink(network, { ownerId: 'customer-7' })
  const payin = await createPayin(network)
  await network.sandbox.control.setStatus(payin.id, 'received')
  const agreement = await createAgreement(network)
  const scheduledAt = new Date(Date.now() + 7 * 86_400_000).toISOString()
  const payout = await made(mutate(network, 'createPayout', payoutInput({ scheduledAt })), 'payout')
  ids = {
    payin: payin.id,
    pending: (await createPayin(network)).id,
    statusToken: payin.statusToken ?? '',
    agreement: agreement.id,
    payout: payout.id,
    qr: network.sandbox.control.bankAccounts()[0]?.qrContent ?? '',
  }
})
afterAll(async () => {
  await network.close()
  await service.close()
})

const words = { code: CANARY, message: CANARY, [CANARY]: [CANARY] }
const ANSWERS: readonly (readonly [string, CanaryAnswer])[] = [
  ['400', { status: 400, body: JSON.stringify({ errors: words }) }],
  ['401', { status: 401, body: JSON.stringify({ errors: words }) }],
  ['403', { status: 403, body: `<html>${CANARY}</html>` }],
  ['404', { status: 404, body: JSON.stringify({ error: CANARY, code: CANARY, message: CANARY }) }],
  ['409', { status: 409, body: `<html>${CANARY}</html>` }],
  ['422', { status: 422, body: JSON.stringify({ errors: { amount: CANARY, payer: { name: CANARY } } }) }],
  ['429', { status: 429, body: CANARY, headers: { 'retry-after': CANARY } }],
  ['302', { status: 302, body: CANARY, headers: { location: `http://127.0.0.1:9/${CANARY}` } }],
  ['an empty 200', { status: 200, body: '' }],
  ['200 with a page', { status: 200, body: `<html>${CANARY}</html>` }],
  ['200 broken off', { status: 200, body: `{"uuid":"${CANARY}","status":"${CANARY}` }],
  ['200 of another shape', { status: 200, body: JSON.stringify({ errors: words, message: CANARY }) }],
  ['200 in gzip', { status: 200, body: CANARY, headers: { 'content-encoding': CANARY } }],
  ['500', { status: 500, body: JSON.stringify({ errors: words }) }],
]

type Operation = readonly [query: string, variables?: Record<string, unknown>]

const command = (name: MutationName, input: Record<string, unknown>): Operation => [mutationOf(name), { input }]
const SPAN = { from: '2026-01-01', to: '2026-06-01' }

/** Every operation that calls the payments API. */
const callsOfTheService = (): Operation[] => [
  [CREATE_LINK, { input: linkInput({ reference: newKey() }) }],
  [REFRESH, { id: link.id }],
  [REFRESH, { id: ids.payin }],
  command('createPayin', payinInput()),
  command('createGatewayPayment', gatewayInput()),
  command('refundPayment', { idempotencyKey: newKey(), paymentId: ids.payin, description: 'Changed mind' }),
  command('createPaymentAgreement', agreementInput()),
  command('amendPaymentAgreement', amendmentInput(ids.agreement)),
  command('changePaymentAgreementStatus', { idempotencyKey: newKey(), id: ids.agreement, status: 'CANCELLED' }),
  command('createPayout', payoutInput()),
  command('cancelPayin', { idempotencyKey: newKey(), paymentId: ids.pending }),
  command('cancelScheduledPayout', { idempotencyKey: newKey(), id: ids.payout }),
  command('simulatePayin', { paymentId: ids.payin, outcome: 'COMPLETED' }),
  command('simulateDeposit', { accountNumber: '12345', amount: { value: '10', currency: 'AUD' } }),
  [
    'query Q($qr: String!) { bankLookup(qrContent: $qr) { __typename ... on PaymentsUpstreamRejectedError { httpStatus upstreamCode problems { path message } } ... on PaymentsError { code message } } }',
    { qr: ids.qr },
  ],
  ['query Q($id: ID!) { payout(id: $id) { id status statusRaw errorCode errorMessage } }', { id: ids.payout }],
  ['query Q($from: LocalDate!, $to: LocalDate!) { payouts(from: $from, to: $to) { nodes { id statusRaw } } }', SPAN],
  ['{ accountBalances(currencies: ["AUD"]) { nodes { currency available { value } } failures { message } } }'],
  ['{ accountBalances(currencies: ["AUD"]) { failures { site code message } } }'],
  [
    'query Q($from: LocalDate!, $to: LocalDate!) { balanceHistory(from: $from, to: $to) { nodes { id kindRaw statusRaw } } }',
    SPAN,
  ],
  ['{ payoutMethods { nodes { code kindRaw } stale unavailable } }'],
  ['{ payoutMethod(code: "au_bank_aud") { kindRaw requiredFields { name } } }'],
]

/** Queries of a payer's own client, and every operation that calls the payments API. */
const queriesOfAPayer = (): Operation[] => {
  const failure = 'failure { code category retry customerMessage }'
  const payment = `payment { id status ${failure} nextAction { kind } }`
  return [
    ['{ payinMethods { nodes { code name kindRaw } stale unavailable } }'],
    ['{ payinMethod(code: "kr_bank_krw") { code requiredFields { name } } }'],
    [
      `query Q($id: ID!, $t: String) { paymentLink(id: $id, statusToken: $t) { id state ${payment} } }`,
      { id: link.id, t: link.statusToken },
    ],
    [
      `query Q($id: ID!, $t: String) { payment(id: $id, statusToken: $t) { id status statusRaw ${failure} } }`,
      { id: ids.payin, t: ids.statusToken },
    ],
    ...callsOfTheService(),
  ]
}

/**
 * The fields that are documented to contain the payments API's own words: of a rejected command, of a failed payment, and of the
 * simulators' answers, which only the sandbox has.
 */
const OWN_WORDS = new Set(['problems', 'upstreamCode', 'upstreamMessage', 'codeRaw', 'response'])

/** Returns an answer as JSON, without the fields that are documented to contain the payments API's own words. */
const withoutOwnWords = (answer: unknown): string =>
  JSON.stringify(answer, (key, value: unknown) => (OWN_WORDS.has(key) ? undefined : value))

/** Error codes that are expected while the payments API misbehaves; any other code means that the operation was not tested as intended. */
const EXPECTED = new Set([
  'UPSTREAM_REJECTED',
  'UPSTREAM_NOT_FOUND',
  'UPSTREAM_UNAVAILABLE',
  'CREDENTIALS_REJECTED',
  'OUTCOME_UNKNOWN',
  'NOT_FOUND',
])

/** Returns the codes of top-level errors, and of failures that are data. */
function codesOf({ data, errors }: Answer<Record<string, unknown> | null>): unknown[] {
  const results = Object.values(data ?? {}).flatMap((result) => (hasCode(result) ? [result.code] : []))
  return [...(errors ?? []).map(({ extensions }) => extensions?.['code']), ...results]
}

function hasCode(result: unknown): result is { code: unknown } {
  return typeof result === 'object' && result !== null && 'code' in result
}

const run = (operations: readonly Operation[], token: string | null) =>
  Promise.all(operations.map(([query, variables]) => network.ask(query, variables ?? {}, { token })))

// promise(authorization): No text of the payments API reaches a payer or a log.
describe.each(ANSWERS)('when the payments API answers everything with %s, its text', (_name, answer) => {
  it('reaches no payer and no log, and an operator only where that is documented', async () => {
    const without = ALL_SCOPES.filter((scope) => scope !== 'payments:risk')
    const [clerk, everything] = [await network.token({ scopes: without }), await network.token()]
    const before = service.answered.length
    service.answer = answer
    try {
      const payer = await run(queriesOfAPayer(), null)
      const answers = [await run(callsOfTheService(), clerk), await run(callsOfTheService(), everything)]
      expect(JSON.stringify(payer)).not.toContain(CANARY)
      expect(withoutOwnWords(answers)).not.toContain(CANARY)
      expect([...new Set(answers.flat().flatMap(codesOf))].filter((code) => !EXPECTED.has(String(code)))).toEqual([])
    } finally {
      service.answer = null
    }
    const asked = new Set(service.answered.slice(before))
    expect(asked.size).toBeGreaterThanOrEqual(12)
    expect(network.log()).not.toContain(CANARY)
    expect(network.log().length).toBeGreaterThan(0)
  })
})

describe('what the payments API says of a failed payment', () => {
  it('is shown with payments:risk alone', async () => {
    const failed = await createLink(network)
    service.answer = {
      status: 200,
      body: JSON.stringify({
        uuid: failed.id,
        status: 'failed',
        currency: 'AUD',
        amount: '125.5',
        pay_code: { error_code: CANARY, error_message: CANARY },
      }),
    }
    await network.ask(REFRESH, { id: failed.id })
    service.answer = null
    const see = (fields: string, token: string | null) =>
      network.ask(
        `query Q($id: ID!, $t: String) { paymentLink(id: $id, statusToken: $t) { payment { failure { ${fields} } } } }`,
        { id: failed.id, t: failed.statusToken },
        { token },
      )
    const everyone = 'code category retry retryNotBefore customerMessage'
    const clerk = await network.token({ scopes: ALL_SCOPES.filter((scope) => scope !== 'payments:risk') })
    for (const token of [null, clerk]) {
      const shown = await see(everyone, token)
      expect(shown).toMatchObject({ data: { paymentLink: { payment: { failure: { category: expect.any(String) } } } } })
      const refused = await see('codeRaw upstreamMessage', token)
      expect(refused.errors).toHaveLength(2)
      expect(JSON.stringify([shown, refused])).not.toContain(CANARY)
    }
    const { data } = await see(`${everyone} codeRaw upstreamMessage`, await network.token())
    expect(data).toMatchObject({ paymentLink: { payment: { failure: { codeRaw: CANARY, upstreamMessage: CANARY } } } })
    expect(withoutOwnWords(data)).not.toContain(CANARY)
    expect(network.log()).not.toContain(CANARY)
  })
})
