import { type ExactJson, ExactNumber } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { NO_FLAGS } from '../../../../../src/domain/methods/payin-method.ts'
import { readPage } from '../../../../../src/upstream/wire/values/wire-fields.ts'
import { readPayinMethodEntry, toPayinMethod } from '../../../../../src/upstream/wire/wire-payin-method.ts'
import { fixture } from '../../../../fixtures/upstream/read.ts'

const method = (entry: { [key: string]: ExactJson }, currencies: string[] = ['AUD']) => {
  const read = readPayinMethodEntry(entry)
  return read === null ? null : toPayinMethod(read, currencies, ['LINK'])
}

describe('payin method entries', () => {
  it('reads the published list', () => {
    const records = readPage(fixture('payin-methods'))?.records ?? []
    expect(records.map((record) => method(record as { [key: string]: ExactJson }))).toEqual([
      {
        code: 'au_card_aud',
        usableFor: ['LINK'],
        name: 'Card',
        currency: 'AUD',
        countryCode: 'AU',
        kind: 'CARD',
        kindRaw: 'card',
        minAmount: '1',
        maxAmount: '10000.5',
        cardBrands: ['visa', 'mastercard'],
        checkoutLanguages: ['en', 'zh'],
        networks: null,
        symbol: null,
        logo: 'https://static.test/card.svg',
        flags: NO_FLAGS,
      },
      {
        code: 'au_payid_npp_aud',
        usableFor: ['LINK'],
        name: 'PayID',
        currency: 'AUD',
        countryCode: 'AU',
        kind: 'ALIAS',
        kindRaw: 'payid',
        minAmount: '20.0',
        maxAmount: null,
        cardBrands: null,
        checkoutLanguages: null,
        networks: null,
        symbol: null,
        logo: null,
        flags: NO_FLAGS,
      },
    ])
  })

  it('reads the flags of an entry that has them', () => {
    expect(
      method({ payin_method_code: 'au_card_aud', is_refundable: 'true', is_cancellable: false, require_kyc: 'yes' })
        ?.flags,
    ).toEqual({ refundable: true, cancellable: false, requiresContact: null, requiresKyc: null })
  })

  it.each<[string, { [key: string]: ExactJson }, string[] | null]>([
    ['a list', { supported_networks: ['airtel', 'tnm'] }, ['airtel', 'tnm']],
    ['objects in an object', { mobile: { operators: [{ code: 'mtn', name: 'MTN' }] } }, ['mtn']],
    ['no list', { network: 'mtn' }, null],
  ])('finds the networks: %s', (_name, fields, expected) => {
    expect(method({ payin_method_code: 'mw_mobile_money_mwk', ...fields }, ['MWK'])?.networks).toEqual(expected)
  })

  it.each<[string, ExactJson, string | null]>([
    ['an address with https', 'https://static.test/card.svg', 'https://static.test/card.svg'],
    ['an empty text', '', null],
    ['another scheme', 'javascript:alert(1)', null],
    ['plain http', 'http://static.test/card.svg', null],
    ['credentials', 'https://a:b@static.test/card.svg', null],
  ])('takes as logo what a page may load: %s', (_name, logo, expected) => {
    expect(method({ payin_method_code: 'au_card_aud', logo, symbol: '$' })).toMatchObject({
      logo: expected,
      symbol: '$',
    })
  })

  it('keeps what it does not know as extras', () => {
    const entry = readPayinMethodEntry({
      payin_method_code: 'au_card_aud',
      fee: new ExactNumber('1.10'),
      min_amount: null,
    })
    expect(entry?.extras).toEqual({ fee: new ExactNumber('1.10') })
  })

  it.each<[string, { [key: string]: ExactJson }, string[] | null]>([
    ['texts', { brands: ['visa', 'visa', ' amex '] }, ['visa', 'amex']],
    ['objects with a name', { supported_brands: [{ name: 'Visa' }, { id: 'x' }] }, ['Visa']],
    ['a list within an object', { card: { card_brands: ['visa'] } }, ['visa']],
    ['an empty list', { card_brands: [] }, []],
    ['no list', { card_brands: 'visa' }, null],
    ['no such key', { schemes: ['visa'] }, null],
  ])('finds card brands: %s', (_name, fields, expected) => {
    expect(method({ payin_method_code: 'au_card_aud', ...fields })?.cardBrands).toEqual(expected)
  })

  it.each<[string, { [key: string]: ExactJson }, string[], string | null]>([
    ['its own', { payin_method_code: 'kh_khqr_usd', currency: 'khr' }, ['KHR', 'USD'], 'KHR'],
    ['the one in its code', { payin_method_code: 'kh_khqr_usd' }, ['KHR', 'USD'], 'USD'],
    ["the site's only one", { payin_method_code: 'usdc_bank' }, ['USDC'], 'USDC'],
    ['none', { payin_method_code: 'usdc_bank' }, ['USDC', 'USD'], null],
  ])('takes as currency %s', (_name, entry, currencies, expected) => {
    expect(method(entry, currencies)?.currency ?? null).toBe(expected)
  })

  it.each<[string, ExactJson]>([
    ['no code', { currency: 'AUD' }],
    ['an empty code', { payin_method_code: '' }],
    ['a code that is none', { payin_method_code: '<script>' }],
    ['a list', []],
    ['null', null],
  ])('skips an entry with %s', (_name, entry) => {
    expect(readPayinMethodEntry(entry)).toBeNull()
  })

  it('takes neither a negative limit nor one that is no number', () => {
    expect(method({ payin_method_code: 'au_card_aud', min_amount: '-5', max_amount: 'none' })).toMatchObject({
      minAmount: null,
      maxAmount: null,
    })
  })
})

describe('readPage', () => {
  it.each<[ExactJson, number | null]>([
    [{ records: [], total: new ExactNumber('41'), per_page: '20' }, 3],
    [{ records: [], total_page: new ExactNumber('7') }, 7],
    [{ records: [], total_pages: '7' }, 7],
    [{ records: [], total: new ExactNumber('41'), per_page: new ExactNumber('0') }, null],
    [{ records: [] }, null],
    [{ records: null, total_pages: '0' }, 0],
  ])('counts the pages of %o', (json, pages) => {
    expect(readPage(json)?.totalPages).toBe(pages)
  })

  it.each<[string, ExactJson]>([
    ['no records', { page: '1' }],
    ['records of another type', { records: {} }],
    ['a bare list', []],
  ])('refuses %s', (_name, json) => {
    expect(readPage(json)).toBeNull()
  })
})
