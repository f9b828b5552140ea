import { describe, expect, it } from 'vitest'
import type { DocumentRequest, PersonRequest } from '../../../src/domain/customers/person.ts'
import { clientOf, faultOf, json, site } from './open.ts'

const person: PersonRequest = {
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'Payer',
  dateOfBirth: '1990-12-10',
  phone: '+61-412345678',
  gender: 'female',
  type: 'individual',
  street: '1 Engine Street',
  city: 'Sydney',
  postalCode: '2000',
  state: 'NSW',
  countryCode: 'AU',
}
const document: DocumentRequest = {
  issueCountry: 'AU',
  type: 'passport',
  number: 'P8152342',
  issuedOn: '2020-01-31',
  expiresOn: '2030-01-30',
}
const PERSON =
  '"email":"ada@example.test","first_name":"Ada","last_name":"Payer","dob":"1990-12-10","phone":"+61-412345678",' +
  '"street":"1 Engine Street","city":"Sydney","postal_code":"2000","state":"NSW","country":"AU","type":"individual","gender":"female"'
const IDENTITY =
  '"identity":{"issue_country":"AU","id_doc_type":"passport","document_number":"P8152342","issue_date":"2020-01-31","expiry_date":"2030-01-30"}'
const span = { from: new Date('2023-04-01T00:00:00Z'), to: new Date('2023-04-30T23:59:59Z'), page: 2 }

describe('a customer', () => {
  it('is made with the documented body', async () => {
    const { service, client } = await clientOf(json({ uuid: 'customer_1', email: 'ada@example.test' }))
    expect(await client.createCustomer(site('aud'), { person, document })).toBe('customer_1')
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v2/customers HTTP/1.1',
      body: `{${PERSON},${IDENTITY}}`,
    })
  })

  it('is replaced under the assumed address', async () => {
    const { service, client } = await clientOf(json({ uuid: 'customer_1' }))
    await client.updateCustomer(site('aud'), { uuid: 'customer_1', person, document })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v2/customers/update HTTP/1.1',
      body: `{${PERSON},${IDENTITY},"uuid":"customer_1"}`,
    })
  })

  it('is not taken from an answer about another one, or without an id', async () => {
    const other = await clientOf(json({ uuid: 'customer_1', email: 'grace@example.test' }))
    const none = await clientOf(json({ email: 'ada@example.test' }))
    const reasons = await Promise.all(
      [other, none].map(
        async ({ client }) => (await faultOf(client.createCustomer(site('aud'), { person, document }))).code,
      ),
    )
    expect(reasons).toEqual(['unknown.mismatch', 'unknown.misshapen'])
    const elsewhere = await clientOf(json({ uuid: 'customer_2' }))
    expect((await faultOf(elsewhere.client.getCustomer(site('aud'), 'customer_1'))).code).toBe('unknown.mismatch')
  })

  it('is listed under the documented address', async () => {
    const { service, client } = await clientOf(
      json({ records: [{ uuid: 'customer_1' }, {}], page: 2, per_page: 20, total: 41 }),
    )
    expect(await client.listCustomers(site('aud'), span)).toMatchObject({
      entries: [{ id: 'customer_1' }],
      totalPages: 3,
      totalCount: 41,
    })
    expect(service.requests[0]?.line).toBe(
      'GET /api/v2/customers/?from_date=2023-04-01T00%3A00%3A00&to_date=2023-04-30T23%3A59%3A59&page=2 HTTP/1.1',
    )
  })

  it('that is not valid is not sent, and the fault tells none of its data', async () => {
    const { service, client } = await clientOf(json({}))
    const fault = await faultOf(
      client.createCustomer(site('aud'), { person: { ...person, dateOfBirth: 'Ada Payer' }, document }),
    )
    expect(fault).toMatchObject({ code: 'not-sent.invalid-request', message: expect.stringContaining('dob') })
    expect(fault.message).not.toContain('Ada')
    expect(service.connections()).toBe(0)
  })
})

describe('a contact', () => {
  it('is made with the documented body', async () => {
    const { service, client } = await clientOf(json({ email: 'ada@example.test' }))
    await client.createContact(site('aud'), person)
    expect(service.requests[0]).toMatchObject({ line: 'POST /api/v2/contacts HTTP/1.1', body: `{${PERSON}}` })
  })

  it('is read by its e-mail address, and by no other', async () => {
    const { service, client } = await clientOf(json({ email: 'Ada+1@Example.test' }))
    expect(await client.getContact(site('aud'), 'ada+1@example.test')).toMatchObject({ email: 'Ada+1@Example.test' })
    expect(service.requests[0]?.line).toBe('GET /api/v2/contacts/detail?email=ada%2B1%40example.test HTTP/1.1')
    const other = await clientOf(json({ email: 'grace@example.test' }))
    expect((await faultOf(other.client.getContact(site('aud'), 'ada@example.test'))).code).toBe('unknown.mismatch')
  })
})

describe('an identity check', () => {
  const check = {
    email: 'ada@example.test',
    documentType: 'passport',
    documentNumber: 'P8152342',
    nameInDocument: 'ADA PAYER',
    expiresOn: '2030-01-30',
    issueCountry: 'AU',
    nationality: 'GB',
    webhook: {
      endpointUrl: 'https://merchant.test/webhooks/identity-checks/r1',
      authorizationHeader: 'Bearer v1.k.abc',
    },
  } as const
  async function* pictures(fails = false) {
    for (const name of ['selfie', 'front', 'back'] as const)
      yield { name, type: 'image/jpeg' as const, bytes: bytesOf(name) }
    if (fails) throw new Error('The client hung up.')
  }
  async function* bytesOf(text: string) {
    yield Buffer.from(text)
  }

  it('is sent in chunks to the documented address', async () => {
    const { service, client } = await clientOf(json({ status: 'Ok' }))
    expect(await client.submitIdentityCheck(site('aud'), { ...check, pictures: pictures() })).toEqual({
      statusRaw: 'Ok',
    })
    expect(service.requests[0]?.line).toBe('POST /api/v2/contacts/submit_kyc HTTP/1.1')
  })

  it('whose pictures end with an error is cut off before its end', async () => {
    const { service, client } = await clientOf(json({ status: 'Ok' }))
    const failed = client.submitIdentityCheck(site('aud'), { ...check, pictures: pictures(true) })
    await expect(failed).rejects.toThrow('The client hung up.')
    expect(service.requests).toEqual([])
  })

  it('with a line break in a field is not sent', async () => {
    const { service, client } = await clientOf(json({ status: 'Ok' }))
    const wrong = { ...check, nameInDocument: 'ADA\r\nPAYER', pictures: pictures() }
    const fault = await faultOf(client.submitIdentityCheck(site('aud'), wrong))
    expect(fault).toMatchObject({
      code: 'not-sent.invalid-request',
      message: expect.stringContaining('document_username'),
    })
    expect(service.connections()).toBe(0)
  })
})
