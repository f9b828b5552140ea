import { describe, expect, it } from 'vitest'
import { readPayoutFile } from '../../../../src/domain/payouts/payout-file.ts'

/** Returns what was read of a file. Throws if it was refused. */
function read(file: string) {
  const result = readPayoutFile(file)
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result
}

/** Returns the paths of the problems of a file; empty if it was read. */
function faults(file: string): string[] {
  const result = readPayoutFile(file)
  return 'problems' in result ? result.problems.map(({ path }) => path.join('.')) : []
}

describe('a file of payees', () => {
  it('has a payee in each line, its columns in any order and spelling', () => {
    const file = 'Amount,Payee,E-mail,BSB,Account Number\n40.25, Joan Payee ,joan@payee.test,062-000,0112\n'
    expect(faults(file)).toEqual(['file.1.email'])
    expect(read(file.replace('E-mail', 'EMAIL')).transactions).toEqual([
      {
        firstName: 'Joan Payee',
        lastName: '',
        email: 'joan@payee.test',
        amount: '40.25',
        externalId: null,
        methodFields: { bsb: '062-000', account_number: '0112' },
      },
    ])
  })

  it('leaves out what is empty', () => {
    const file = 'first_name,last_name,email,amount,external_id,payid,bsb\nAda,Payee,a@b.test,1,7,a@b.test,\n'
    expect(read(file).transactions).toMatchObject([
      { firstName: 'Ada', lastName: 'Payee', externalId: '7', methodFields: { payid: 'a@b.test' } },
    ])
    expect(read(file).transactions[0]?.methodFields).not.toHaveProperty('bsb')
  })

  it.each([
    ['', 'file'],
    ['payee,email,amount\n', 'file'],
    [`payee,email,amount\n${'a,a@b.test,1\n'.repeat(501)}`, 'file'],
    [`payee,email,amount\n${'a'.repeat(600_000)}`, 'file'],
    [`payee,email,amount${',a'.repeat(98)}\n`, 'file.1'],
    ['payee,email,amount,__proto__\na,b,c,d', 'file.1'],
    ['payee,email\na,b', 'file.1.amount'],
    ['email,amount\na,b', 'file.1.payee'],
    ['payee,first_name,email,amount\na,b,c,d', 'file.1.payee'],
    ['payee,email,amount,bsb,BSB\na,b,c,d,e', 'file.1.bsb'],
    ['payee,email,amount,\na,b,c,d', 'file.1'],
    ['payee,email,amount\na,b,c,d', 'file.2'],
    ['payee,email,amount\na,"b', 'file.2'],
  ])('%j is refused at %s', (file, path) => {
    expect(faults(file)).toEqual([path])
  })

  it('takes the most lines', () => {
    expect(read(`payee,email,amount\n${'a,a@b.test,1\n'.repeat(500)}`).transactions).toHaveLength(500)
  })

  it('may have empty cells behind its columns, and lines without any', () => {
    expect(read('payee,email,amount\n,,,\n\na,b,c,,\n').transactions).toHaveLength(1)
  })

  it('tells problems of a payee by its line and column', () => {
    const { placed } = read('payee,email,amount,bsb\n\n"a",b,1,2\nb,c,2,3')
    const place = (...path: string[]) => placed({ path, message: 'is odd' })
    expect(place('transactions', '0', 'methodFields', 'bsb')).toEqual({
      path: ['file', '3', 'bsb'],
      message: 'line 3 is odd',
    })
    expect(place('transactions', '1', 'firstName').path).toEqual(['file', '4', 'payee'])
    expect(place('transactions', '1', 'externalId').path).toEqual(['file', '4', 'external_id'])
    expect(place('description')).toEqual({ path: ['description'], message: 'is odd' })
    expect(place('transactions')).toEqual({ path: ['transactions'], message: 'is odd' })
  })

  it('tells at most a hundred problems', () => {
    expect(faults(`payee,email,amount\n${'a,b,c,d\n'.repeat(400)}`)).toHaveLength(100)
  })
})
