import * as fc from 'fast-check'
import { parseCsv } from 'payments-subgraph-lib/csv'
import { describe, expect, it } from 'vitest'
import {
  EXPORT_FORMATS,
  EXPORT_FORMATS_WITH_PAYERS,
  PaymentTotals,
  type ExportedPayment,
} from '../../../../src/domain/exports/export-format.ts'

const PAYMENT: ExportedPayment = {
  day: '2026-11-01',
  currency: 'AUD',
  method: 'payid',
  amount: '10.10',
  total: '10.35',
  paid: '10.35',
  refunded: null,
  id: 'P1',
  reference: 'order-1',
  site: 'main',
  link: 'L1',
  owner: null,
  description: 'Tea',
  phase: 'SUCCEEDED',
  status: 'received',
  createdAt: '2026-11-01T23:59:59.000Z',
  updatedAt: '2026-11-02T00:00:01.000Z',
}
const { csv, ndjson } = EXPORT_FORMATS
const columns = csv.head.trim().split(',')

function totalsOf(...payments: Partial<ExportedPayment>[]) {
  const totals = new PaymentTotals()
  for (const over of payments) totals.add({ ...PAYMENT, ...over })
  return totals.list()
}

// promise(authorization): A CSV cell that a spreadsheet could run as a formula is made inert.
describe('CSV', () => {
  it('has the same columns in every line, and ends with END and the count', () => {
    const lines = csv.payment(PAYMENT) + csv.end(totalsOf({}, { currency: 'JPY' }))
    expect(lines.split('\r\n')).toEqual([
      'PAYMENT,2026-11-01,AUD,payid,1,10.10,10.35,10.35,,P1,order-1,main,L1,,Tea,SUCCEEDED,received,2026-11-01T23:59:59.000Z,2026-11-02T00:00:01.000Z',
      'TOTAL,2026-11-01,AUD,payid,1,10.10,10.35,10.35,0,,,,,,,,,,',
      'TOTAL,2026-11-01,JPY,payid,1,10.10,10.35,10.35,0,,,,,,,,,,',
      'END,,,,2,,,,,,,,,,,,,,',
      '',
    ])
    expect(columns).toHaveLength(19)
  })

  it.each([
    ['a "b", c', '"a ""b"", c"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', `"'\t'=1"`],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['  =1', "'  =1"],
    ['\uff1d1+1', "'\uff1d1+1"],
    ['\uff201', "'\uff201"],
    ['a=b', 'a=b'],
    ['a; b', '"a; b"'],
    ...[
      '\u200b',
      '\ufeff',
      '\u00ad',
      '\u00a0',
      '\u3000',
      '\u3164',
      '\u2800',
      '\u202e',
      '\0',
      '\u180e',
      '\u{e0020}',
    ].map((invisible) => [`${invisible}=1`, `'${invisible}=1`]),
    ...['\u2212', '\u207a', '\ufe66', '\ufe6b', '\uff0b', '\uff0d'].map((sign) => [`${sign}1`, `'${sign}1`]),
    ['\tText', `"'\tText"`],
    [' \t\u200b=1', `"' \t'\u200b=1"`],
    ['"=1', `"'""=1"`],
    ['a;=1', `"a;'=1"`],
    ['a;"=1";b', `"a;'""=1"";b"`],
    ['=1;\u200b+2;-3', `"'=1;'\u200b+2;'-3"`],
    ['a\r\n@SUM(1)', `"a\r\n'@SUM(1)"`],
    ['a\t=1', `"a\t'=1"`],
    ['Ada; Eve', '"Ada; Eve"'],
    ['a-b@c.test; d+e', '"a-b@c.test; d+e"'],
  ])('writes the text %j as %j', (text, cell) => {
    expect(csv.payment({ ...PAYMENT, reference: text })).toContain(`,P1,${cell},main,`)
  })

  it('has no cell that begins like a formula, whichever separator it is split at', () => {
    const texts = fc.array(
      fc.constantFrom('=1', '+', '-', '@', ';', ',', '"', '\t', '\n', '\r', ' ', '\u200b', '\uff1d', "'", 'a'),
    )
    fc.assert(
      fc.property(texts, (parts) => {
        const line = csv.payment({ ...PAYMENT, amount: '1', total: null, paid: null, reference: parts.join('') })
        const [byComma = []] = parseCsv(line, 1).map(({ cells }) => cells)
        expect(byComma).toHaveLength(19)
        for (const cell of [...byComma, ...line.split(/[;\t\r\n]/)])
          expect(cell).not.toMatch(/^[\s"\u200b]*[=+\-@\uff1d]/)
      }),
    )
  })

  it('leaves the minus sign of an amount as it is', () => {
    expect(csv.payment({ ...PAYMENT, amount: '-1.00' })).toContain(',1,-1.00,10.35,')
  })
})

it('a file that has who paid has two more columns, as inert as the others', () => {
  const payment = { ...PAYMENT, payerName: '=cmd|a', payerEmail: 'ada@example.test' }
  const withPayers = EXPORT_FORMATS_WITH_PAYERS
  expect(withPayers.csv.head).toBe(`${csv.head.trim()},payerName,payerEmail\r\n`)
  expect(withPayers.csv.payment(payment)).toBe(`${csv.payment(PAYMENT).trim()},'=cmd|a,ada@example.test\r\n`)
  expect(withPayers.csv.end([])).toBe('END,,,,0,,,,,,,,,,,,,,,,\r\n')
  expect(JSON.parse(withPayers.ndjson.payment(payment))).toEqual({ payment })
})

it('NDJSON ends with the totals and the count', () => {
  expect(JSON.parse(ndjson.payment(PAYMENT))).toEqual({ payment: PAYMENT })
  const totals = totalsOf({}, {})
  expect(JSON.parse(ndjson.end(totals))).toEqual({ totals, count: 2 })
  expect(ndjson.end([])).toBe('{"totals":[],"count":0}\n')
})

describe('totals', () => {
  it('are exact, whatever the number of decimals', () => {
    const [total] = totalsOf(
      { amount: '0.1', refunded: '9007199254740993' },
      { amount: '0.2' },
      { amount: '0.000001', paid: null, total: '-20.70' },
    )
    expect(total).toMatchObject({
      count: 3,
      amount: '0.300001',
      paid: '20.70',
      total: '0.00',
      refunded: '9007199254740993',
    })
    expect(totalsOf({ amount: '-0.05' })[0]?.amount).toBe('-0.05')
  })

  it('are by day, currency and method, in this order', () => {
    const totals = totalsOf(
      { method: 'visa' },
      {},
      { day: '2026-10-31' },
      { currency: 'AUD', method: null },
      { day: null },
      {},
    )
    expect(totals.map(({ day, method, count }) => [day, method, count])).toEqual([
      [null, 'payid', 1],
      ['2026-10-31', 'payid', 1],
      ['2026-11-01', null, 1],
      ['2026-11-01', 'payid', 2],
      ['2026-11-01', 'visa', 1],
    ])
  })
})
