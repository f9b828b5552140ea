import { describe, expect, it } from 'vitest'
import { checkDeposit, type DepositRequest } from '../../../../src/domain/accounts/deposit-rules.ts'

const AUD: DepositRequest = { accountNumber: '1234567', amount: { value: '100.50', currency: 'AUD' } }
const JPY: DepositRequest = { accountNumber: '1234567', amount: { value: '10000', currency: 'JPY' } }
const REMITTER = ['remitterName', 'remitterBankName', 'remitterBranchName'] as const

/** Returns the paths of the problems, each joined by dots. */
function problems(request: DepositRequest): string[] {
  const check = checkDeposit(request)
  return (check.ok ? [] : check.problems).map(({ path, message }) => {
    expect(message).toMatch(/^must /)
    return path.join('.')
  })
}

describe('checkDeposit', () => {
  it('gives the request back as it is to be sent', () => {
    const nobody = { remitterName: null, remitterBankName: null, remitterBranchName: null }
    expect(checkDeposit(AUD)).toEqual({ ok: true, request: { ...AUD, ...nobody } })
    const somebody = { remitterName: "Ada O'Payer", remitterBankName: 'Example Bank', remitterBranchName: 'Perth' }
    const everything = { ...AUD, ...somebody, remarks: 'rent 山', site: 'au' }
    expect(checkDeposit(everything)).toEqual({ ok: true, request: everything })
  })

  it('writes the remitter of a deposit in JPY in half-width katakana, and the remarks as they are', () => {
    const remitter = { remitterName: 'やまだ　タロウ\n', remitterBankName: 'ミズホギンコウ', remitterBranchName: 'ｼﾌﾞﾔ' }
    const check = checkDeposit({ ...JPY, ...remitter, remarks: 'Rent 山' })
    expect(check).toEqual({
      ok: true,
      request: {
        ...JPY,
        remitterName: 'ﾔﾏﾀﾞ ﾀﾛｳ',
        remitterBankName: 'ﾐｽﾞﾎｷﾞﾝｺｳ',
        remitterBranchName: 'ｼﾌﾞﾔ',
        remarks: 'Rent 山',
      },
    })
  })

  it.each(REMITTER)('refuses what is no kana in %s, and does not repeat it', (name) => {
    for (const wrong of ['山田', 'ﾔﾏﾀﾞ&', 'ヤマダ①', 'カ㈱', 'ヰ', 'SHIBUYA', '(1)']) {
      const check = checkDeposit({ ...JPY, [name]: wrong })
      expect(problems({ ...JPY, [name]: wrong })).toEqual([name])
      expect(JSON.stringify(check)).not.toContain(wrong.at(-1))
    }
    expect(checkDeposit({ ...JPY, [name]: 'ヤマ&' })).toMatchObject({
      problems: [{ message: 'must be katakana or hiragana: the character at position 2 has no half-width form' }],
    })
  })

  it.each(REMITTER)('holds %s to 1 to 255 characters in every currency', (name) => {
    expect(problems({ ...JPY, [name]: 'ガ'.repeat(127) })).toEqual([])
    expect(problems({ ...JPY, [name]: 'ガ'.repeat(128) })).toEqual([name])
    for (const blank of ['', ' ', '　']) {
      expect(problems({ ...JPY, [name]: blank })).toEqual([name])
      expect(problems({ ...AUD, [name]: blank })).toEqual([name])
    }
    expect(problems({ ...AUD, [name]: 'a'.repeat(256) })).toEqual([name])
    expect(problems({ ...AUD, [name]: '山田' })).toEqual([])
  })

  it('holds the amount to the currency: whole units of JPY', () => {
    for (const value of ['10000.5', '10000.0', '0', '-1', 'x'])
      expect(problems({ ...JPY, amount: { value, currency: 'JPY' } })).toEqual(['amount.value'])
    expect(problems({ ...AUD, amount: { value: '0.001', currency: 'AUD' } })).toEqual(['amount.value'])
  })

  it('holds the account number and the remarks', () => {
    for (const accountNumber of ['1', 'AU12-3456', 'a'.repeat(34), '12\n', '\u200b12'])
      expect(problems({ ...AUD, accountNumber })).toEqual([])
    for (const accountNumber of ['', ' ', '1 2', '1\u00002', 'a'.repeat(35), '../1'])
      expect(problems({ ...AUD, accountNumber })).toEqual(['accountNumber'])
    for (const remarks of ['', ' ', 'a'.repeat(256), 'a\nb']) expect(problems({ ...AUD, remarks })).toEqual(['remarks'])
    expect(problems({ ...AUD, remarks: null })).toEqual([])
  })

  it('tells everything that is wrong at once', () => {
    expect(
      problems({
        accountNumber: '',
        amount: { value: '1.5', currency: 'JPY' },
        remitterName: 'A',
        remitterBankName: 'B',
        remarks: '',
      }),
    ).toEqual(['accountNumber', 'amount.value', 'remitterName', 'remitterBankName', 'remarks'])
  })
})
