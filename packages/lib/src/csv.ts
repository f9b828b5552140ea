/** One record of a CSV text, with the number of the line at which it begins, from 1. */
export type CsvRecord = { readonly line: number; readonly cells: readonly string[] }

/** A text that is no CSV. */
export class CsvError extends Error {
  override name = 'CsvError'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/**
 * Parses CSV (RFC 4180), up to `most` records; more are not read. The separator is a comma, or a semicolon if the first line with text has no comma outside of quotes. A byte
 * order mark and empty lines are skipped. Throws a `CsvError` for a quote that stands in a cell without quotes, or that is not closed.
 */
export function parseCsv(text: string, most: number): CsvRecord[] {
  const source = text.replace(/^\uFEFF/, '')
  const header = (/\S.*/.exec(source)?.[0] ?? '').replaceAll(/"[^"]*"/g, '')
  const separator = header.includes(';') && !header.includes(',') ? ';' : ','
  const records: CsvRecord[] = []
  let [at, line] = [0, 1]
  while (at < source.length && records.length < most) {
    const record = readRecord(source, { at, line, separator })
    if (record.cells.some((cell) => cell.trim() !== '')) records.push({ line, cells: record.cells })
    at = record.at
    line = record.line
  }
  return records
}

type Place = { readonly at: number; readonly line: number }

function readRecord(
  source: string,
  { separator, ...begin }: Place & { readonly separator: string },
): Place & { readonly cells: readonly string[] } {
  const cells: string[] = []
  let { at, line } = begin
  for (;;) {
    const cell = source[at] === '"' ? quoted(source, at, line) : plain(source, at, separator)
    if (cell.text.includes('"') && source[at] !== '"')
      throw new CsvError(line, 'has a quote in a cell that is not in quotes')
    cells.push(cell.text)
    line += lineBreaks(source.slice(at, cell.end))
    at = cell.end
    if (source[at] === separator) at += 1
    else if (at >= source.length) return { at, line, cells }
    else if (LINE_BREAK.test(source[at] ?? '')) {
      at += source.startsWith('\r\n', at) ? 2 : 1
      return { at, line: line + 1, cells }
    } else throw new CsvError(line, 'has text after a cell in quotes')
  }
}

const LINE_BREAK = /[\r\n]/

type Cell = { readonly text: string; readonly end: number }

function plain(source: string, at: number, separator: string): Cell {
  let end = at
  while (end < source.length && source[end] !== separator && !LINE_BREAK.test(source[end] ?? '')) end += 1
  return { text: source.slice(at, end), end }
}

function quoted(source: string, at: number, line: number): Cell {
  let end = source.indexOf('"', at + 1)
  while (end !== -1 && source[end + 1] === '"') end = source.indexOf('"', end + 2)
  if (end === -1) throw new CsvError(line, 'has a quote that is not closed')
  return { text: source.slice(at + 1, end).replaceAll('""', '"'), end: end + 1 }
}

function lineBreaks(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0
}
