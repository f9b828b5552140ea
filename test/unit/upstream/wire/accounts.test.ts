import { type ExactJson, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import type { JsonRecord } from '../../../../src/upstream/wire/values/readers.ts'
import {
  readBankAccount,
  toBankLookupBody,
  type DepositSimulation,
  toDepositBody,
  readBalanceMovement,
  readBalances,
} from '../../../../src/upstream/wire/wire-accounts.ts'
import { fixture } from '../../../fixtures/upstream/read.ts'

const without = (name: string, key: string): ExactJson => {
  const { [key]: _left, ...others } = fixture(name) as JsonRecord
  return others
}

describe('readBalanceMovement', () => {
  const [record = null] = (fixture('balance-history') as { records: ExactJson[] }).records

  it('reads a record to the digit', () => {
    expect(readBalanceMovement(record, 'AUD')).toEqual({
      id: 'txn_5Gf81',
      currency: 'AUD',
      amount: '125.5',
      directionRaw: 'money_in',
      kindRaw: 'payment',
      methodRaw: 'card',
      statusRaw: 'done',
      referenceId: 'ref_9KQ2LM',
      outgoing: '0',
      total: '125.5',
      fees: '1.25',
      createdAt: '2026-01-05T04:22:21.000Z',
    })
  })

  it('knows what is missing from what is nought', () => {
    expect(readBalanceMovement({ id: 'txn_1', amount: '2', balance_detail: 'none' }, 'AUD')).toMatchObject({
      currency: 'AUD',
      outgoing: null,
      total: null,
      fees: null,
      createdAt: null,
    })
  })

  it.each(['id', 'amount'])('does not take a record without %s', (key) => {
    const { [key]: _left, ...others } = record as JsonRecord
    expect(readBalanceMovement(others, 'AUD')).toBeNull()
  })
})

describe('readBalances', () => {
  it('reads the five amounts to the digit', () => {
    expect(readBalances(fixture('balances'), 'AUD')).toEqual({
      currency: 'AUD',
      available: '1000.5',
      incoming: '1',
      outgoing: '2.50',
      rollingReserve: '0',
      withdrawable: '-4',
    })
  })

  it.each(Object.keys(fixture('balances') as JsonRecord))('does not take a missing %s for nought', (key) => {
    expect(readBalances(without('balances', key), 'AUD')).toBeNull()
  })
})

describe('readBankAccount', () => {
  it('reads the documented answer', () => {
    expect(readBankAccount(fixture('bank-account'))).toEqual({
      accountName: 'NGUYEN VAN A',
      accountNumber: '0011223344',
      bankName: 'Sample Bank',
      swiftCode: 'SAMPVNVX',
    })
  })

  it.each(Object.keys(fixture('bank-account') as JsonRecord))('reads nothing without %s', (key) => {
    expect(readBankAccount(without('bank-account', key))).toBeNull()
  })

  it('reads a text that is empty, but no empty account number', () => {
    const account = fixture('bank-account') as JsonRecord
    expect(readBankAccount({ ...account, swift_code: '' })?.swiftCode).toBe('')
    expect(readBankAccount({ ...account, account_number: '' })).toBeNull()
  })

  it.each(['', 'x'.repeat(4_297), 'a\nb', 'a\u0000'])('does not look up %o', (content) => {
    expect(toBankLookupBody(content)).toEqual({ faults: ['qr_content'] })
  })
})

describe('toDepositBody', () => {
  const deposit: DepositSimulation = { accountNumber: '1234567', amount: '1000.50' }
  const textOf = (request: DepositSimulation) => {
    const written = toDepositBody(request)
    return stringifyExactJson('body' in written && written.body)
  }

  it('writes the amount as a text', () => {
    expect(textOf(deposit)).toBe('{"account_number":"1234567","amount":"1000.50"}')
    expect(
      textOf({
        ...deposit,
        remitterName: 'ﾔﾏﾀﾞ',
        remitterBankName: 'ｷﾞﾝｺｳ',
        remitterBranchName: 'ﾎﾝﾃﾝ',
        remarks: 'Test',
      }),
    ).toBe(
      '{"account_number":"1234567","amount":"1000.50","remitter_name":"ﾔﾏﾀﾞ","remitter_bank_name":"ｷﾞﾝｺｳ","remitter_branch_name":"ﾎﾝﾃﾝ","remarks":"Test"}',
    )
  })

  it.each(['', '-1', '1e3', '01', '1.', '.5', 'x', '1'.repeat(31)])('refuses the amount %o', (amount) => {
    expect(toDepositBody({ ...deposit, amount })).toEqual({ faults: ['amount'] })
  })
})
