import { describe, expect, it } from 'vitest'
import {
  documentProblems,
  type DocumentRequest,
  normalisePerson,
  personProblems,
  type PersonRequest,
  fullName,
  identityStatus,
} from '../../../../src/domain/customers/person.ts'

const TODAY = '2030-06-15'
const PERSON: PersonRequest = {
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
const DOCUMENT: DocumentRequest = {
  issueCountry: 'AU',
  type: 'passport',
  number: 'P8152342',
  issuedOn: '2020-01-31',
  expiresOn: '2030-06-15',
}

const placesOf = (over: Partial<PersonRequest>) =>
  personProblems({ ...PERSON, ...over }, TODAY, ['person']).flatMap((one) => one?.path.join('.') ?? [])

describe('personProblems', () => {
  it('finds none in a person and in an organisation', () => {
    expect(placesOf({})).toEqual([])
    expect(placesOf({ type: 'organization', registrationNumber: '10242424' })).toEqual([])
  })

  it.each<[string, Partial<PersonRequest>]>([
    ['email', { email: 'ada' }],
    ['firstName', { firstName: '' }],
    ['middleName', { middleName: 'x'.repeat(256) }],
    ['lastName', { lastName: '\u0000' }],
    ['dateOfBirth', { dateOfBirth: TODAY }],
    ['phone', { phone: '0412345678' }],
    ['registrationNumber', { type: 'organization' }],
    ['street', { street: ' ' }],
    ['street2', { street2: '' }],
    ['city', { city: '' }],
    ['postalCode', { postalCode: '' }],
    ['state', { state: 'New South Wales' }],
    ['countryCode', { countryCode: 'AUS' }],
  ])('names the field %s', (name, over) => {
    expect(placesOf(over)).toEqual([`person.${name}`])
  })

  it('takes any state where no codes are asked for, and a birthday of yesterday', () => {
    expect(placesOf({ countryCode: 'JP', state: '東京都', dateOfBirth: '2030-06-14' })).toEqual([])
  })
})

describe('normalisePerson', () => {
  it('writes an Australian number as the payments API does, and others as + and digits', () => {
    const phoneOf = (phone: string) => normalisePerson({ ...PERSON, phone }).phone
    expect(['0412 345 678', '+61 (0)412 345 678', '+44 20 7946 0018', '0081-3-1234-5678'].map(phoneOf)).toEqual([
      '+61-412345678',
      '+61-412345678',
      '+442079460018',
      '+81312345678',
    ])
  })

  it('trims names and addresses, and keeps the case of an e-mail address', () => {
    const person = normalisePerson({ ...PERSON, email: ' Ada@Example.test ', firstName: ' Ada  Mary ', state: ' NSW ' })
    expect(person).toMatchObject({ email: 'Ada@Example.test', firstName: 'Ada Mary', state: 'NSW' })
  })
})

describe('documentProblems', () => {
  const places = (over: Partial<DocumentRequest>) =>
    documentProblems({ ...DOCUMENT, ...over }, TODAY, []).flatMap((one) => one?.path ?? [])

  it('takes a document on its last day', () => expect(places({})).toEqual([]))

  it.each<[string, Partial<DocumentRequest>]>([
    ['issueCountry', { issueCountry: '' }],
    ['number', { number: ' ' }],
    ['issuedOn', { issuedOn: '2030-06-16', expiresOn: '2031-01-01' }],
    ['expiresOn', { expiresOn: '2030-06-14' }],
    ['expiresOn', { issuedOn: TODAY, expiresOn: TODAY }],
  ])('names the field %s', (name, over) => expect(places(over)).toEqual([name]))
})

describe('the state of an identity', () => {
  it.each([
    [[], 'not_submitted'],
    [['pending'], 'pending'],
    [['rejected', 'Approved'], 'approved'],
    [['approved', 'failed'], 'rejected'],
    [['approved', 'on hold'], null],
  ] as const)('after %j is %s', (words, status) => {
    expect(identityStatus({ identity: words.map((statusRaw) => ({ statusRaw, message: null })) })).toBe(status)
  })
})

it('a name has all parts that are known', () => {
  const nobody = { email: null, dateOfBirth: null, phone: null, gender: null, registrationNumber: null }
  const nowhere = { street: null, street2: null, city: null, postalCode: null, state: null }
  const named = { ...nobody, ...nowhere, firstName: 'Ada', middleName: null, lastName: 'Payer' }
  expect(fullName(named)).toBe('Ada Payer')
  expect(fullName({ ...named, firstName: null, lastName: null })).toBeNull()
})
