import { CsvError, type CsvRecord, parseCsv } from 'payments-subgraph-lib/csv'
import { tidied } from '../../lib/text.ts'
import { present, problem, type Problem } from '../field-problems.ts'
import { exponentOf } from '../money/money.ts'
import { MOST_TRANSACTIONS, type PayoutRequest, type PayoutTransactionRequest } from './payout-rules.ts'
import { cellProblem } from './spreadsheet-cells.ts'

/** A request for a batch of payouts whose payees are the lines of a file. */
export type PayoutFileRequest = Omit<PayoutRequest, 'transactions'> & {
  /** CSV with a header: `payee`, or `first_name` and `last_name`; `email`, `amount`, `external_id`; and the fields of the method. */
  readonly file: string
}

/** A file that was read: its payees, and where each of them stands. */
export type PayoutFile = {
  readonly transactions: readonly PayoutTransactionRequest[]
  /** Returns a problem of one of the transactions as one of its line and column in the file; any other problem as it is. */
  readonly placed: (problem: Problem) => Problem
}

/** Problems that are told at most: a file in which one column is wrong has one of them in each line. */
export const MOST_FILE_PROBLEMS = 100

/** More than any method has fields. */
const MOST_COLUMNS = 100

/** The most characters of a file, more than its most lines need. */
const LONGEST_FILE = 512 * 1024

/**
 * Reads the file of a batch. A file that has anything else than a header and payees is refused as a whole, with the line and the column of each
 * problem; also one in which a spreadsheet program has replaced a value. Values are only taken over: the rules of the batch check them.
 */
export function readPayoutFile(file: string, currency: string): PayoutFile | { readonly problems: readonly Problem[] } {
  if (file.length > LONGEST_FILE) return refused(`must have at most ${LONGEST_FILE} characters`)
  try {
    return payeesOf(parseCsv(file, MOST_TRANSACTIONS + 2), exponentOf(currency))
  } catch (error) {
    if (error instanceof CsvError) return refused(`line ${error.line} ${error.message}`, String(error.line))
    throw error
  }
}

function payeesOf([header, ...lines]: readonly CsvRecord[], decimals: number): ReturnType<typeof readPayoutFile> {
  if (header === undefined) return refused('must have a header and a line for each payee')
  if (header.cells.length > MOST_COLUMNS)
    return refused(`must have at most ${MOST_COLUMNS} columns`, String(header.line))
  const columns = header.cells.map(columnName)
  const faults = [
    ...headerProblems(columns, header.line),
    ...lines.flatMap((line) => lineProblems(columns, line, decimals)),
  ]
  if (faults.length > 0) return { problems: faults.slice(0, MOST_FILE_PROBLEMS) }
  if (lines.length === 0 || lines.length > MOST_TRANSACTIONS)
    return refused(`must have 1 to ${MOST_TRANSACTIONS} lines of payees below the header`)
  return {
    transactions: lines.map(({ cells }) => transactionOf(columns, cells)),
    placed: ({ path, message }) => {
      const [list, index, ...field] = path
      const line = list === 'transactions' ? lines[Number(index)]?.line : undefined
      if (line === undefined) return { path, message }
      const column = columnOf(field, columns)
      return { path: ['file', String(line), ...column], message: `line ${line} ${message}` }
    },
  }
}

/** `Account Number` and `account-number` are `account_number`. */
function columnName(cell: string): string {
  return tidied(cell)
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}

function headerProblems(columns: readonly string[], line: number): Problem[] {
  const at = ['file', String(line)]
  const twice = columns.filter((column, index) => columns.indexOf(column) < index)
  const missing = ['email', 'amount'].filter((column) => !columns.includes(column))
  const hasName = columns.includes('payee') !== (columns.includes('first_name') || columns.includes('last_name'))
  return [
    ...columns
      .flatMap((column) => (COLUMN.test(column) ? [] : [{ path: at, message: 'must name every column' }]))
      .slice(0, 1),
    ...twice
      .filter((column) => COLUMN.test(column))
      .map((column) => ({ path: [...at, column], message: 'stands twice in the header' })),
    ...missing.map((column) => ({ path: [...at, column], message: 'is missing in the header' })),
    ...(hasName
      ? []
      : [{ path: [...at, 'payee'], message: 'must be in the header, or first_name and last_name instead' }]),
  ]
}

const COLUMN = /^[a-z][a-z0-9_]{0,99}$/

/** Empty cells after the last column are ignored: spreadsheets write them. */
function lineProblems(columns: readonly string[], { line, cells }: CsvRecord, decimals: number): Problem[] {
  const isPlain = cells.slice(columns.length).every((cell) => tidied(cell) === '')
  const at = ['file', String(line)]
  const changed = columns.map((column, index) => {
    const message = cellProblem(column, tidied(cells[index] ?? ''), decimals)
    return problem(message === null ? null : `line ${line} ${message}`, [...at, column])
  })
  return present([problem(isPlain ? null : `line ${line} has more cells than the header`, at), ...changed])
}

function transactionOf(columns: readonly string[], cells: readonly string[]): PayoutTransactionRequest {
  const given = new Map(columns.map((column, index) => [column, tidied(cells[index] ?? '')]))
  const text = (column: string) => given.get(column) ?? ''
  const fields = [...given].filter(([column, value]) => !OWN.has(column) && value !== '')
  return {
    firstName: given.has('payee') ? text('payee') : text('first_name'),
    lastName: text('last_name'),
    email: text('email'),
    amount: text('amount'),
    reference: text('reference') === '' ? null : text('reference'),
    methodFields: Object.fromEntries(fields),
  }
}

/** Columns of every method; all others are fields of the method. */
const OWN: ReadonlySet<string> = new Set(['payee', 'first_name', 'last_name', 'email', 'amount', 'reference'])

const COLUMNS: ReadonlyMap<string, string> = new Map([
  ['firstName', 'first_name'],
  ['lastName', 'last_name'],
])

function columnOf([name, ...rest]: readonly string[], columns: readonly string[]): readonly string[] {
  if (name === undefined) return []
  if (name === 'methodFields') return rest
  if (columns.includes('payee') && (name === 'firstName' || name === 'lastName')) return ['payee']
  return [COLUMNS.get(name) ?? name]
}

function refused(message: string, ...place: readonly string[]): { readonly problems: readonly Problem[] } {
  return { problems: [{ path: ['file', ...place], message }] }
}
