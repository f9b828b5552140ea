import { type ExactJson, ExactNumber } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { parseFieldDescriptor } from '../../../../../src/domain/methods/payin-method.ts'
import { unwrapped } from '../../../../../src/upstream/wire/values/wire-fields.ts'
import { readDirectMethodEntry, readMethodRequirements } from '../../../../../src/upstream/wire/wire-payin-method.ts'
import { readBanks, readPayoutMethod } from '../../../../../src/upstream/wire/wire-payout.ts'
import { fixture } from '../../../../fixtures/upstream/read.ts'

describe('parseFieldDescriptor', () => {
  it.each([
    ['string:Mandatory callback url', 'string', true, 'callback url'],
    ['string:Optional user id', 'string', false, 'user id'],
    ['STRING:MANDATORY', 'string', true, null],
    ['string : optional', 'string', false, null],
    ['boolean:mandatory: Transliterate: yes or no', 'boolean', true, 'Transliterate: yes or no'],
    ['string:Required, the name', 'string', true, 'the name'],
    ['string:Mandatoryish label', 'string', false, 'Mandatoryish label'],
    ['string:the label', 'string', false, 'the label'],
    ['string:', 'string', false, null],
    ['string', 'string', false, null],
    [':Mandatory x', '', true, 'x'],
    ['', '', false, null],
  ])('reads %o', (raw, type, required, label) => {
    expect(parseFieldDescriptor('user_id', raw)).toEqual({ name: 'user_id', type, required, label, raw })
  })
})

const asked = { direction: 'payin', code: 'au_payid_npp_aud', currencies: ['AUD'] } as const

describe('readMethodRequirements', () => {
  it('reads the documented record', () => {
    expect(readMethodRequirements(unwrapped(fixture('payin-method-params')), asked)).toEqual({
      code: 'au_payid_npp_aud',
      currency: 'AUD',
      description: 'PayID',
      minAmount: '20',
      maxAmount: '10000.5',
      networks: null,
      symbol: '$',
      logo: null,
      refundable: false,
      cancellable: false,
      requiresContact: true,
      requiresKyc: null,
      fields: [
        {
          name: 'callback_url',
          type: 'string',
          required: true,
          label: 'callback url',
          raw: 'string:Mandatory callback url',
        },
        { name: 'user_id', type: 'string', required: false, label: 'user id', raw: 'string:Optional user id' },
      ],
    })
  })

  it.each<[string, ExactJson]>([
    ['an empty object', { payin_method_params: {} }],
    ['an empty list', { payin_method_params: [] }],
    ['null', { payin_method_params: null }],
  ])('takes %s for a method that asks for nothing', (_name, json) => {
    expect(readMethodRequirements(json, asked)).toMatchObject({ code: asked.code, currency: 'AUD', fields: [] })
  })

  it('keeps a descriptor that is no text as its JSON', () => {
    const json = { payin_method_params: { size: { type: 'number', max: new ExactNumber('1.50') }, '': 'string' } }
    expect(readMethodRequirements(json, asked)?.fields).toMatchObject([
      { name: 'size', required: false, raw: '{"type":"number","max":1.50}' },
    ])
  })

  it.each<[string, ExactJson]>([
    ['no fields', { currency: 'AUD' }],
    ['fields that are no object', { payin_method_params: 'string:Mandatory' }],
    ['the fields of the other direction', { payout_method_params: {} }],
    ['a list', []],
    ['null', null],
  ])('reads nothing from a record with %s', (_name, json) => {
    expect(readMethodRequirements(json, asked)).toBeNull()
  })

  it('knows no currency when neither record, code nor site tells one', () => {
    const json = { payin_method_params: {} }
    expect(readMethodRequirements(json, { ...asked, code: 'usdc_bank', currencies: ['AUD', 'USDC'] })).toBeNull()
    expect(readMethodRequirements(json, { ...asked, code: 'usdc_bank', currencies: ['USDC'] })?.currency).toBe('USDC')
  })
})

describe('readDirectMethodEntry', () => {
  it.each<[ExactJson, string | null]>([
    [{ payin_method_name: 'au_card_aud' }, 'au_card_aud'],
    [{ payout_method_name: 'au_card_aud' }, null],
    [{ payin_method_name: 'au card' }, null],
    [{ payin_method_code: 'au_card_aud' }, null],
    [null, null],
  ])('reads the code of %o', (json, code) => {
    expect(readDirectMethodEntry(json, 'payin')?.code ?? null).toBe(code)
  })

  it('drops a limit below zero', () => {
    const json = { payin_method_name: 'x', min_amount: '-1', max_amount: '7.50' }
    expect(readDirectMethodEntry(json, 'payin')).toMatchObject({ minAmount: null, maxAmount: '7.50' })
  })
})

describe('payout methods and banks', () => {
  it('reads the kind and country from the code', () => {
    expect(readPayoutMethod({ payout_method_name: 'sa_bank_zar' }, ['ZAR'])).toEqual({
      code: 'sa_bank_zar',
      currency: 'ZAR',
      countryCode: 'ZA',
      kind: 'BANK_TRANSFER',
      kindRaw: 'bank',
    })
    expect(readPayoutMethod({ payout_method_name: 'new' }, ['ZAR', 'KES'])).toBeNull()
  })

  it('reads banks whose code is a text or a number, and leaves out those without one', () => {
    expect(readBanks(unwrapped(fixture('payout-method-params')))).toEqual([
      { code: '600', name: 'First Bank of Samples', shortName: 'FBS' },
      { code: '601', name: 'Second Bank of Samples', shortName: null },
    ])
    expect(readBanks({ banks: [{ code: 'BMRIIDJA' }, null, 'x'] })).toEqual([
      { code: 'BMRIIDJA', name: 'BMRIIDJA', shortName: null },
    ])
    expect(readBanks({ banks: 'none' })).toEqual([])
  })
})
