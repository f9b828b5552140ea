import { describe, expect, it } from 'vitest'
import {
  identityCheckProblems,
  type IdentityCheckRequest,
  mayBeOfType,
  normaliseIdentityCheck,
  pictureTypeOf,
} from '../../../../src/domain/customers/identity-check.ts'

const TODAY = '2030-06-15'
const REQUEST: IdentityCheckRequest = {
  email: 'ada@example.test',
  documentType: 'passport',
  documentNumber: 'P8152342',
  nameInDocument: 'ADA PAYER',
  expiresOn: TODAY,
  issueCountry: 'AU',
  nationality: 'GB',
}

describe('identityCheckProblems', () => {
  const places = (over: Partial<IdentityCheckRequest>) =>
    identityCheckProblems({ ...REQUEST, ...over }, TODAY).flatMap(({ path }) => path)

  it('takes a document on its last day, with and without the day of its issue', () => {
    expect(places({})).toEqual([])
    expect(places({ issuedOn: '2020-06-15' })).toEqual([])
  })

  it.each<[string, Partial<IdentityCheckRequest>]>([
    ['email', { email: 'ada' }],
    ['documentNumber', { documentNumber: 'x'.repeat(65) }],
    ['nameInDocument', { nameInDocument: 'A\r\nB' }],
    ['issuedOn', { issuedOn: '2030-06-16', expiresOn: '2031-01-01' }],
    ['expiresOn', { expiresOn: '2030-06-14' }],
    ['expiresOn', { issuedOn: TODAY }],
    ['issueCountry', { issueCountry: 'Australia' }],
    ['nationality', { nationality: 'gb' }],
  ])('names the field %s', (name, over) => expect(places(over)).toEqual([name]))

  it('are found after spaces are removed', () => {
    const spaced = {
      ...REQUEST,
      email: ' ada@example.test ',
      documentNumber: ' P8152342 ',
      nameInDocument: ' ADA  PAYER ',
    }
    expect(normaliseIdentityCheck(spaced)).toEqual(REQUEST)
  })
})

describe('a picture', () => {
  it.each([
    [[0xff, 0xd8, 0xff, 0xe1], 'image/jpeg'],
    [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'image/png'],
    [[0x89, 0x50, 0x4e, 0x47], null],
    [[0xff, 0xd8], null],
    [[0x47, 0x49, 0x46, 0x38], null],
    [[], null],
  ])('that begins with %j is of type %s', (bytes, type) => expect(pictureTypeOf(Uint8Array.from(bytes))).toBe(type))

  it('of a face is a JPEG, and of a document a JPEG or a PNG', () => {
    expect(mayBeOfType('selfie', 'image/jpeg')).toBe(true)
    expect(mayBeOfType('selfie', 'image/png')).toBe(false)
    expect(mayBeOfType('back', 'image/png')).toBe(true)
  })
})
