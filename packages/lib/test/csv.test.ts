import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CsvError, parseCsv } from '../src/csv.ts'

const cells = (text: string) => parseCsv(text, 100).map((record) => record.cells)

/** Returns what was thrown for a text that is no CSV. */
function faultOf(text: string): CsvError {
  try {
    parseCsv(text, 100)
  } catch (error) {
    if (error instanceof CsvError) return error
  }
  throw new Error('It was read.')
}

describe('a CSV text', () => {
  it.each([
    ['a,b\n1,2', 'a|b/1|2'],
    ['a,b\r\n1,2\r\n', 'a|b/1|2'],
    ['a,b\r1,2\r', 'a|b/1|2'],
    ['\uFEFFa,b\n1,', 'a|b/1|'],
    ['a;b\n1,5;2', 'a|b/1,5|2'],
    ['\n\r\na;"b,c"\n1;2', 'a|b,c/1|2'],
    ['a\n\n , \n1', 'a/1'],
    ['"a,b","say ""hi"""\n"two\nlines",x', 'a,b|say "hi"/two\nlines|x'],
  ])('%j is read', (text, records) => {
    expect(
      cells(text)
        .map((record) => record.join('|'))
        .join('/'),
    ).toBe(records)
  })

  it.each(['""', ''])('%j has no record', (text) => expect(cells(text)).toEqual([]))

  it('tells the line at which each record begins', () => {
    expect(parseCsv('a\r\n"x\r\ny\nz"\n\nb', 9).map(({ line }) => line)).toEqual([1, 2, 6])
  })

  it.each([
    ['a\n"b', 2, 'not closed'],
    ['a\nb"c', 2, 'not in quotes'],
    ['"a"b', 1, 'after a cell'],
  ])('%j is refused at its line', (text, line, message) => {
    expect(faultOf(text)).toMatchObject({ line, message: expect.stringContaining(message) as string })
  })

  it('is not read beyond the most records', () => {
    expect(parseCsv('a\nb\nc\n"', 2)).toHaveLength(2)
  })

  it('gives back what was written, whatever it holds', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '"', '\n', '\r', 'ü') })
    const record = fc.tuple(cell, cell).filter(([first, second]) => `${first}${second}`.trim() !== '')
    const written = (text: string) => `"${text.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        const text = records.map((row) => row.map(written).join(',')).join('\n')
        expect(cells(`x,y\n${text}`).slice(1)).toEqual(records.map((row) => [...row]))
      }),
    )
  })
})
