import type { CallerKind } from './callers.ts'
import type { Matrix } from './matrix.ts'

/** Symbols of outcomes; other codes are written as they are. */
const SIGNS: Readonly<Record<string, string>> = {
  data: '✓',
  masked: '~',
  UNAUTHENTICATED: 'auth',
  FORBIDDEN: 'scope',
  NOT_FOUND: 'none',
}

/** The legend of the tables. */
export const LEGEND = `- \`✓\` something, \`~\` something with a mask before it, \`null\` nothing, without a word
- \`auth\` UNAUTHENTICATED, \`scope\` FORBIDDEN, \`none\` NOT_FOUND, each at this very field
- \`·\` nothing leads there: what holds the field is null or refused`

/** Returns a table per type, with a row per field and a column per caller. Fields of a type with equal outcomes share a row. */
export function tables(matrix: Matrix, coordinates: readonly string[]): string {
  const types = Map.groupBy(coordinates, (coordinate) => coordinate.split('.')[0] ?? '')
  return [...types].map(([type, fields]) => `### ${type}\n\n${table(matrix, fields)}`).join('\n\n')
}

/** Returns the list of callers by their column labels. */
export function columns(callers: Iterable<CallerKind>): string {
  return [...callers].map(({ label, name }) => `- \`${label}\` ${name}`).join('\n')
}

function table(matrix: Matrix, fields: readonly string[]): string {
  const callers = [...matrix.keys()]
  const rowOf = (field: string) => callers.map((caller) => signOf(matrix.get(caller)?.get(field)))
  const alike = Map.groupBy(fields, (field) => rowOf(field).join())
  const rows = [...alike.values()].map((same) => {
    const names = same.map((field) => field.slice(field.indexOf('.') + 1))
    return [names.join(' ')].concat(rowOf(same[0] ?? ''))
  })
  const head = ['field', ...callers.map(({ label }) => label)]
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

function signOf(outcome: string | undefined): string {
  return outcome === undefined ? '·' : (SIGNS[outcome] ?? outcome)
}
