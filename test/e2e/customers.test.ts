import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contactInput, customerInput, DOCUMENT_NUMBER, personInput } from '../support/inputs.ts'
import { asked, CONTACT_FIELDS, CUSTOMER_FIELDS, made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const CUSTOMER = `query C($id: ID!, $site: ID) { paymentCustomer(id: $id, site: $site) { ${CUSTOMER_FIELDS} } }`
const CONTACT = `query C($email: String!, $currency: CurrencyCode!) {
  paymentContact(email: $email, currency: $currency) { ${CONTACT_FIELDS} } }`

const day = (fromNow: number) => new Date(Date.now() + fromNow * 24 * 3_600_000).toISOString().slice(0, 10)

/** Returns the places of the problems of a mutation that was refused before it was sent. */
const placesOf = (result: Awaited<ReturnType<typeof mutate>>) => result.problems?.map(({ path }) => path.join('.'))

// promise(authorization): Of customers and contacts only ids are stored; their details need `customers:pii`.
describe('a customer', () => {
  it('is made, read, listed and replaced', async () => {
    const person = personInput({ middleName: 'King', street2: 'Floor 2' })
    const { customer } = await mutate(network, 'createPaymentCustomer', customerInput({ person }))
    const { id } = customer ?? { id: '' }
    const read = await network.ask<{ paymentCustomer: unknown }>(CUSTOMER, { id })
    expect(read.data.paymentCustomer).toEqual(customer)
    expect(customer).toMatchObject({
      site: 'aud',
      nameMasked: 'A*** K*** C***',
      emailMasked: 'a***@example.test',
      type: 'INDIVIDUAL',
      countryCode: 'AU',
      personal: { email: person['email'], middleName: 'King', phone: '+61-412345678', genderRaw: 'female' },
      document: { type: 'PASSPORT', numberMasked: '***342', expiresOn: '2099-01-30' },
    })
    const changed = customerInput({ customerId: id, person: { ...person, city: 'Perth', state: 'WA' } })
    expect(await mutate(network, 'updatePaymentCustomer', changed)).toMatchObject({ customer: { id } })
    const { data } = await network.ask<{ paymentCustomers: { nodes: unknown[] } }>(
      'query L($from: LocalDate!, $to: LocalDate!) { paymentCustomers(from: $from, to: $to) { pageInfo { hasNextPage } nodes { id personal { city } } } }',
      { from: day(-1), to: day(1) },
    )
    expect(data.paymentCustomers).toMatchObject({ pageInfo: { hasNextPage: false } })
    expect(data.paymentCustomers.nodes).toContainEqual({ id, personal: { city: 'Perth' } })
  })

  it('is absent where no site has it, and at another site', async () => {
    const { id } = await made(mutate(network, 'createPaymentCustomer', customerInput()), 'customer')
    for (const variables of [{ id: 'nobody' }, { id: '../balances' }, { id, site: 'xaf' }, { id, site: 'none' }])
      expect(await network.ask(CUSTOMER, variables)).toMatchObject({ data: { paymentCustomer: null } })
    expect((await network.ask(CUSTOMER, { id: 'nobody' })).errors).toBeUndefined()
  })

  it('is found, and not made twice, when the answer to its creation was lost', async () => {
    const input = customerInput()
    network.sandbox.control.addFault({ method: 'POST', path: '/v2/customers', answer: 'drop-after' })
    const before = asked(network, 'POST', '/v2/customers')
    expect(await mutate(network, 'createPaymentCustomer', input)).toMatchObject({
      __typename: 'PaymentsOutcomeUnknownError',
    })
    expect(await mutate(network, 'createPaymentCustomer', input)).toMatchObject({ replayed: true })
    expect(asked(network, 'POST', '/v2/customers') - before).toBe(1)
  })
})

describe('a contact', () => {
  it('is made, read and listed', async () => {
    const input = contactInput()
    const result = await mutate(network, 'createPaymentContact', input)
    const email = result.contact?.personal?.email ?? ''
    const read = await network.ask<{ paymentContact: unknown }>(CONTACT, {
      email: ` ${email.toUpperCase()} `,
      currency: 'AUD',
    })
    expect(read.data.paymentContact).toEqual(result.contact)
    const { data } = await network.ask<{ paymentContacts: { nodes: unknown[] } }>(
      'query L($from: LocalDate!, $to: LocalDate!) { paymentContacts(from: $from, to: $to, currency: "AUD") { nodes { emailMasked } totalCount } }',
      { from: day(-1), to: day(1) },
    )
    expect(data.paymentContacts).toMatchObject({ totalCount: expect.any(Number) })
    expect(data.paymentContacts.nodes).toContainEqual({ emailMasked: 'a***@example.test' })
  })

  it('keeps its id when another key signs', async () => {
    const { contact } = await mutate(network, 'createPaymentContact', contactInput())
    await network.restart(undefined, { SIGNING_KEYS: 'another-key-of-the-tests-0123456789abcdefgh' })
    const variables = { email: contact?.personal?.email ?? '', currency: 'AUD' }
    expect((await network.ask(CONTACT, variables)).data).toEqual({ paymentContact: contact })
  })

  it('is one for each e-mail address of a site', async () => {
    const person = personInput()
    await mutate(network, 'createPaymentContact', contactInput({ person }))
    expect(await mutate(network, 'createPaymentContact', contactInput({ person }))).toMatchObject({
      __typename: 'PaymentsUpstreamRejectedError',
      problems: [{ path: ['email'] }],
    })
    expect(await mutate(network, 'createPaymentContact', contactInput({ person, currency: 'JPY' }))).toMatchObject({
      contact: { site: 'jpy' },
    })
  })

  it('is absent where there is none, and an unknown currency is an error', async () => {
    const email = 'nobody@example.test'
    expect(await network.ask(CONTACT, { email, currency: 'AUD' })).toMatchObject({ data: { paymentContact: null } })
    const { errors } = await network.ask(CONTACT, { email, currency: 'EUR' })
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'currency' } }])
  })

  it('has no middle name, no second street and one of two genders', async () => {
    const person = personInput({ middleName: 'King', street2: 'Floor 2', gender: 'OTHER' })
    expect(placesOf(await mutate(network, 'createPaymentContact', contactInput({ person })))).toEqual([
      'person.middleName',
      'person.street2',
      'person.gender',
    ])
  })

  it('tells of a site that does not answer', async () => {
    network.sandbox.control.addFault({ path: '/v2/contacts/', times: 9, answer: { status: 429 } })
    const { errors } = await network.ask(
      'query L($from: LocalDate!, $to: LocalDate!) { paymentContacts(from: $from, to: $to, currency: "AUD") { nodes { site } } }',
      { from: day(-1), to: day(1) },
    )
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }])
  })
})

it('personal data is shown with customers:pii alone, and neither stored nor logged', async () => {
  const person = personInput({ lastName: 'Quartermain', street: '7 Hidden Lane' })
  const { id } = await made(mutate(network, 'createPaymentCustomer', customerInput({ person })), 'customer')
  const token = await network.token({ scopes: ['customers:read'] })
  const shown = await network.ask(CUSTOMER, { id }, { token })
  const text = JSON.stringify(shown)
  expect(shown.errors?.map(({ extensions }) => extensions?.['code'])).toEqual(['FORBIDDEN', 'FORBIDDEN'])
  const secrets = [String(person['email']), 'Quartermain', 'Hidden Lane', DOCUMENT_NUMBER, '412345678']
  const stored = readFolder(network.folder)
  for (const secret of secrets) {
    expect(text).not.toContain(secret)
    expect(network.log()).not.toContain(secret)
    expect(stored.includes(secret)).toBe(false)
  }
  // The id is recorded: otherwise the files that were read would be others.
  expect(stored.includes(id)).toBe(true)
})

/** Returns every byte that the app has stored. */
function readFolder(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))
}
