import { type ExactJson, parseExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { readPaymentReport } from '../../../../../src/upstream/wire/wire-payment.ts'

const shown: readonly (readonly [string, string, unknown])[] = [
  [
    'a bank transfer in JPY',
    '{"bank_name":"Sample","transfer_id":"T1","branch_code":"001","branch_name":"Main","account_number":"0123456","account_name":"ﾔﾏﾀﾞ","expired_timestamp":"2026-12-31T00:00:00Z","account_type":"1","transfer_name":"T1 ﾔﾏﾀﾞ"}',
    {
      bank_name: 'Sample',
      transfer_id: 'T1',
      branch_code: '001',
      branch_name: 'Main',
      account_number: '0123456',
      account_name: 'ﾔﾏﾀﾞ',
      expired_timestamp: '2026-12-31T00:00:00Z',
      account_type: '1',
      transfer_name: 'T1 ﾔﾏﾀﾞ',
    },
  ],
  ['an alias payment page', '{"payment_url":"https://pay.test/1"}', { payment_url: 'https://pay.test/1' }],
  ['a redirect', '{"redirect_url":"https://pay.test/1"}', { redirect_url: 'https://pay.test/1' }],
  ['a redirect as lists name it', '{"pay_url":"https://pay.test/1"}', { pay_url: 'https://pay.test/1' }],
  ['an alias', '{"pay_id":"pay@merchant.test"}', { pay_id: 'pay@merchant.test' }],
  [
    'a QR code with the account behind it',
    '{"qr_string":"000201","bank_information":{"bank_name":"Sample","account_number":"1","swift_code":"S"},"message":"Scan"}',
    {
      qr_string: '000201',
      bank_information: { bank_name: 'Sample', account_number: '1', swift_code: 'S' },
      message: 'Scan',
    },
  ],
  [
    'a virtual account in KRW',
    '{"bankName":"Sample","holder":"X","ref":12345678901234567890}',
    { bankName: 'Sample', holder: 'X', ref: '12345678901234567890' },
  ],
  ['a bare text', '"000201"', { pay_code: '000201' }],
  ['3-D Secure alone', '{"3ds_url":"https://pay.test/3ds"}', null],
  ['a failure alone', '{"error_code":"card_lost","error_message":"Lost"}', null],
  ['an empty object', '{}', null],
  ['an empty text', '""', null],
  ['null', 'null', null],
]

describe('the instructions of a direct payin', () => {
  it.each(shown)('read %s', (_name, payCode, expected) => {
    const json: ExactJson = { uuid: 'VMMAOTFQ', status: 'pending', pay_code: parseExactJson(payCode) }
    expect(readPaymentReport(json)?.details.instructions).toEqual(expected)
  })
})
