import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_SCOPES } from '../../src/access/caller.ts'
import { AGREEMENT_UPDATES, createAgreement } from '../support/agreements.ts'
import { pay } from '../support/checkout.ts'
import { ACCOUNT_NUMBER, ALIAS, payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Answer, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { createPayin } from '../support/payins.ts'

const PAYER = { first: 'Zelda', last: 'Quartermain', email: 'zelda.quartermain@payer.test' }
const DEBTOR = 'Ophelia Debtor'
const PAYEE = 'Grace'
/** What callers that may see payers receive of the account number and the alias. */
const MASKED = [`***${ACCOUNT_NUMBER.slice(-3)}`, `${ALIAS[0]}***@example.test`]

let network: Network
let link: CreatedLink
let ids: { agreement: string; payin: string; payout: string }
beforeAll(async () => {
  network = await startNetwork()
  const customer = { email: PAYER.email, firstName: PAYER.first, lastName: PAYER.last }
  link = await createLink(network, { customer })
  await pay(link.checkoutUrl)
  const name = `${PAYER.first} ${PAYER.last}`
  const payin = await createPayin(network, { customerName: name, customerEmail: PAYER.email })
  const bankAccount = { bsb: '062-000', accountNumber: ACCOUNT_NUMBER }
  const payer = { name: DEBTOR, bankAccount, payId: { value: ALIAS, type: 'EMAIL' } }
  const agreement = await createAgreement(network, { payer })
  const payout = await made(mutate(network, 'createPayout', payoutInput()), 'payout')
  await network.sandbox.settle()
  await network.app.settle()
  ids = { agreement: agreement.id, payin: payin.id, payout: payout.id }
})
afterAll(() => network.close())

const PAYMENT = 'id status instructions { raw } payer { name email } events(first: 2) { nodes { id } }'
const AGREEMENT = 'id status description payer { name bsb accountNumberMasked payIdMasked payIdType }'
const LINK = `id description payment { ${PAYMENT} }`

/** Returns the query of a router for an entity that another subgraph refers to. */
function entity(type: string, id: string, fields: string): readonly [string, Record<string, unknown>] {
  const representations = [{ __typename: type, id }]
  return [
    `query Q($r: [_Any!]!) { _entities(representations: $r) { ... on ${type} { ${fields} } } }`,
    { r: representations },
  ]
}

/** Returns every query that leads to a payer or payee. */
const asked = (): readonly (readonly [string, Record<string, unknown>])[] => [
  [
    `query Q($id: ID!, $t: String) { paymentLink(id: $id, statusToken: $t) { ${LINK} } }`,
    { id: link.id, t: link.statusToken },
  ],
  [`{ paymentLinks(first: 5) { nodes { ${LINK} } } }`, {}],
  [`query Q($id: ID!) { payment(id: $id) { ${PAYMENT} } }`, { id: ids.payin }],
  [`{ payments(first: 5) { nodes { ${PAYMENT} } } }`, {}],
  [`query Q($id: ID!) { paymentAgreement(id: $id) { ${AGREEMENT} } }`, { id: ids.agreement }],
  [`{ paymentAgreements(first: 5) { nodes { ${AGREEMENT} } } }`, {}],
  [`{ paymentEvents(first: 5) { nodes { id payment { ${PAYMENT} } agreement { ${AGREEMENT} } } } }`, {}],
  [`{ webhookDeliveries(first: 5) { nodes { id body payment { ${PAYMENT} } agreement { ${AGREEMENT} } } } }`, {}],
  ['query Q($id: ID!) { payout(id: $id) { id transactions { id payee errorMessage } } }', { id: ids.payout }],
  entity('Payment', ids.payin, PAYMENT),
  entity('PaymentAgreement', ids.agreement, AGREEMENT),
  entity('PaymentLink', link.id, LINK),
]

type Found = { readonly answers: readonly Answer<unknown>[]; readonly bytes: string }

/** Returns what a caller receives over both transports, parsed and as bytes on the wire. */
async function givenTo(token: string | null): Promise<Found> {
  const answers = await Promise.all(
    asked().map(([query, variables]) => network.ask<unknown>(query, variables, { token })),
  )
  const streams = [
    [LINK_UPDATES.replace('payment { id status phase', 'payment { payer { name email } id status phase'), link.id],
    [AGREEMENT_UPDATES.replace('agreement { id', `agreement { ${AGREEMENT}`), ids.agreement],
  ] as const
  const items: unknown[] = []
  for (const [query, id] of streams) {
    const stream = await network.follow(query, { id, statusToken: link.statusToken }, { token })
    items.push(await stream.next().catch((reason: unknown) => String(reason)))
    await stream.end()
  }
  return { answers, bytes: JSON.stringify([answers, items]) }
}

const callers = {
  'someone with every scope': () => network.token(),
  'someone who may not see payers': () =>
    network.token({ scopes: ALL_SCOPES.filter((scope) => !scope.endsWith(':pii')) }),
  'someone who may see payers and nothing else': () => network.token({ scopes: ['payments:pii'] }),
  'someone who holds a status token': async () => null,
}
const REFUSALS = new Set(['FORBIDDEN', 'UNAUTHENTICATED'])
const everyone = Object.entries(callers)

// promise(authorization): Payers need `payments:pii`; account numbers, aliases and document numbers are always masked;
// failure codes of stolen cards need `payments:risk`.
describe('an account number and an alias', () => {
  it.each(everyone)('stand in no answer to %s', async (_who, token) => {
    const { bytes } = await givenTo(await token())
    for (const secret of [ACCOUNT_NUMBER, ALIAS, ALIAS.split('@')[0] ?? '']) expect(bytes).not.toContain(secret)
  })

  it('are shown masked to those who may see payers', async () => {
    const { answers, bytes } = await givenTo(await network.token())
    expect(answers.filter(({ errors }) => errors !== undefined)).toEqual([])
    for (const text of [...MASKED, PAYER.first, PAYER.email, DEBTOR, PAYEE]) expect(bytes).toContain(text)
  })
})

describe('who pays and who is paid', () => {
  it.each(everyone.filter(([who]) => !/every scope|payers and nothing/.test(who)))(
    'is kept from %s, who is told so',
    async (_who, token) => {
      const { answers, bytes } = await givenTo(await token())
      for (const text of [...MASKED, ...Object.values(PAYER), DEBTOR, PAYEE]) expect(bytes).not.toContain(text)
      const codes = answers.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions?.['code']))
      expect(codes.length).toBeGreaterThan(0)
      expect(codes.filter((code) => !REFUSALS.has(String(code)))).toEqual([])
    },
  )
})
