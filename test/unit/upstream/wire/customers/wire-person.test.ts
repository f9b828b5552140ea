import * as fc from 'fast-check'
import { parseExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { readContact, readCustomer } from '../../../../../src/upstream/wire/wire-person.ts'

const PERSON = {
  email: 'ada@example.test',
  first_name: 'Ada',
  last_name: 'Payer',
  dob: '1990-12-10',
  phone: '+61-412345678',
  gender: 'female',
  street: '1 Engine Street',
  city: 'Sydney',
  postal_code: 2000,
  state: 'NSW',
  country: 'au',
  type: 'individual',
  identity: {
    issue_country: 'AU',
    id_doc_type: 'Passport',
    document_number: 'P8152342',
    issue_date: '2020-01-31',
    expiry_date: '2030-01-30',
  },
}

const read = <Result>(reader: (json: ReturnType<typeof parseExactJson>) => Result, json: unknown) =>
  reader(parseExactJson(JSON.stringify(json)))

describe('readCustomer', () => {
  it('reads the documented record, with the number of the document masked', () => {
    const customer = read(readCustomer, { uuid: 'customer_18f2', ...PERSON })
    expect(customer).toMatchObject({
      id: 'customer_18f2',
      type: 'individual',
      countryCode: 'AU',
      personal: { email: 'ada@example.test', middleName: null, dateOfBirth: '1990-12-10', postalCode: '2000' },
      document: { type: 'passport', typeRaw: 'Passport', numberMasked: '***342', expiresOn: '2030-01-30' },
    })
    expect(JSON.stringify(customer)).not.toContain('P8152342')
  })

  it('needs a uuid that is safe in an address', () => {
    for (const uuid of [undefined, '', '../balances', 7]) expect(read(readCustomer, { ...PERSON, uuid })).toBeNull()
  })
})

describe('readContact', () => {
  it('reads the results of identity checks in their order', () => {
    const kyc_statuses = [
      { kyc_status: 'rejected', message: 'The picture is blurred.' },
      { message: 'no status' },
      7,
      { kyc_status: 'approved', message: 'null' },
    ]
    expect(read(readContact, { ...PERSON, kyc_statuses })).toMatchObject({
      email: 'ada@example.test',
      identity: [
        { statusRaw: 'rejected', message: 'The picture is blurred.' },
        { statusRaw: 'approved', message: null },
      ],
    })
  })

  it('needs an e-mail address, and nothing else', () => {
    expect(read(readContact, { ...PERSON, email: null })).toBeNull()
    expect(
      read(readContact, { email: 'ada@example.test', identity: 'none', dob: '1990-02-30', type: 'robot' }),
    ).toMatchObject({ identity: [], document: null, type: null, personal: { dateOfBirth: null } })
  })

  it('never throws', () => {
    const texts = fc.property(fc.json(), (text) => {
      expect(() => readContact(parseExactJson(text))).not.toThrow()
    })
    fc.assert(texts)
    const odd = fc.record({ email: fc.string(), identity: fc.jsonValue(), kyc_statuses: fc.jsonValue() })
    const records = fc.property(odd, (json) => {
      expect(() => read(readContact, json)).not.toThrow()
    })
    fc.assert(records)
  })
})
