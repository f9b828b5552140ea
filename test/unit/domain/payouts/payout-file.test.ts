import { describe, expect, it } from 'vitest'
import { readPayoutFile } from '../../../../src/domain/payouts/payout-file.ts'

/** Returns what was read of a file. Throws if it was refused. */
function read(file: string, currency = 'AUD') {
  const result = readPayoutFile(file, currency)
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result
}

/** Returns the paths of the problems of a file; empty if it was read. */
function faults(file: string, currency = 'AUD'): string[] {
  const result = readPayoutFile(file, currency)
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
        reference: null,
        methodFields: { bsb: '062-000', account_number: '0112' },
      },
    ])
  })

  it('leaves out what is empty', () => {
    const file = 'first_name,last_name,email,amount,reference,payid,bsb\nAda,Payee,a@b.test,1,7,a@b.test,\n'
    expect(read(file).transactions).toMatchObject([
      { firstName: 'Ada', lastName: 'Payee', reference: '7', methodFields: { payid: 'a@b.test' } },
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
    expect(place('transactions', '1', 'reference').path).toEqual(['file', '4', 'reference'])
    expect(place('description')).toEqual({ path: ['description'], message: 'is odd' })
    expect(place('transactions')).toEqual({ path: ['transactions'], message: 'is odd' })
  })

  /** Returns the file of one payee whose cell of a column has a text. */
  const withCell = (column: string, text: string) => {
    const cells = new Map([
      ['payee', 'Ada Payee'],
      ['email', 'a@b.test'],
      ['amount', '1'],
      [column, text],
    ])
    const line = [...cells.values()].map((cell) => `"${cell.replaceAll('"', '""')}"`)
    return `${[...cells.keys()].join(',')}\n${line.join(',')}\n`
  }

  it.each([
    "1.23457E+11 | 1,23457E+11 | 9.70436E+15 | 1.23E+05 | 1E+11 | 1.23457e11 | '1.2E+11 | １．２Ｅ＋１１ | 1.E+08 | 970422920000123000",
    '####### | # | #N/A | #REF! | #NAME? | #VALUE! | #DIV/0! | #NV | #¡VALOR! | Err:502 | ="0123" | =A1 | Gr\ufffd\ufffde | #n/a | #値! | #이름? | NaN | null | undefined',
    "12345678.0 | 12345678,00 | 123456.78 | 1,234,567 | 1.234.567 | 1’234’567 | 12,34,567 | -1,234.50 | '0123 | ’0123 | 'ABC",
    'TRUE | FALSE | Wahr | 12\u00a0345 | 12\u202f345 | 1\n2 | $1,234.00 | 123€ | 12% | (123)',
    '1/2/2024 | 01/02/24 | 2024/1/2 | 2024-01-02 | 2024-01-02 00:00:00 | 02.01.2024 | 1月2日 | 2024. 1. 2.',
    '4-Mar | Mar-04 | 4-Mar-24 | 04 Mrz 2024 | 1/2 | 12:34 | 12:34:56 PM',
  ])('with %j in a column of codes is refused: a spreadsheet program has replaced the value', (texts) => {
    for (const text of texts.split(' | '))
      for (const column of ['account_number', 'bank_code', 'phone', 'payid'])
        expect([text, ...faults(withCell(column, text))]).toEqual([text, `file.2.${column}`])
  })

  it.each([
    '0012345 | 123456789012 | 12345678901234567890 | 9704229200001200 | 112 233 445 | 062-000 | +61 412 345 678 | (02) 9999 1234 | 0412.345.678',
    'GB29NWBK60161331926819 | BE68 5390 0754 7034 | MAYBMYKL | BMRIIDJA | 12E345 | 9E15 | E123 | 1234E | 2E-15 | ABC-12',
    "ada@example.test | o'ada@example.test | 123.456.789-09 | 12.345.678/0001-95 | 01-02-03 | 110-123-456789",
    '123e4567-e89b-12d3-a456-426614174000 | TRUEMONEY | +66-812345678',
  ])('with %j in a column of codes is taken over as it is', (texts) => {
    for (const text of texts.split(' | '))
      for (const column of ['account_number', 'bank_code', 'phone', 'payid'])
        expect(read(withCell(column, text)).transactions[0]?.methodFields).toEqual({ [column]: text })
  })

  it.each([
    [
      'reference',
      ['1.2E+11', '#N/A', '1,234', '7.0', '4-Mar', '1/2/2024', 'TRUE'],
      ['2024-01-15', '1.5', '#1001', 'MAY-2024', '3/4'],
    ],
    [
      'payee',
      ['#NAME?', '=A1', '1.2E+11', 'M\ufffdller', 'Tr?n V?n B?nh', '???'],
      ["'t Hooft", 'Null', 'Nan', 'True', 'Ada\u00a0Payee'],
    ],
    ['address', ['#REF!', '####'], ['#12 Rizal St', "'s-Gravenweg 1", '1/2 Main St', 'Where?', 'Level 2, 1.5 km']],
    ['date_of_birth', ['45292', '#####', '4.5E+04'], ['1990-01-02', '02/01/1990']],
    ['amount', ['#N/A', '1.2E+03'], ['1.005', '1,50']],
  ])('has columns of other values, such as %s, with problems of their own', (column, changed, honest) => {
    for (const text of changed) expect([text, ...faults(withCell(column, text))]).toEqual([text, `file.2.${column}`])
    for (const text of honest) expect([text, ...faults(withCell(column, text))]).toEqual([text])
  })

  it('has whole amounts with separators of thousands refused where they would be read as a thousandth', () => {
    expect(faults(withCell('amount', '50.000'), 'VND')).toEqual(['file.2.amount'])
    expect(faults(withCell('amount', '50000.5'), 'VND')).toEqual([])
  })

  it('tells at most a hundred problems', () => {
    expect(faults(`payee,email,amount\n${'a,b,c,d\n'.repeat(400)}`)).toHaveLength(100)
  })
})
