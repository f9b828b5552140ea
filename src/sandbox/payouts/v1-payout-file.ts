import { CsvError, type CsvRecord, parseCsv } from '../../lib/csv.ts'
import { ExactNumber } from '../../lib/exact-json.ts'
import { withTarget } from '../customers/check-identity-form.ts'
import type { JsonObject } from '../values/request-fields.ts'

/**
 * Returns the body that a multipart form with a file of payees stands for; undefined if the file is no CSV with a header. Its columns are the fields
 * of a payee: no page names them (gap sheet, section 20). Spreadsheets (.xlsx) are not read.
 */
export function bodyOfFile(texts: Readonly<Record<string, string>>, file: Buffer): JsonObject | undefined {
  try {
    const [header, ...lines] = parseCsv(new TextDecoder('utf-8', { fatal: true }).decode(file), MOST_LINES)
    if (header === undefined) return undefined
    const details = lines.map((line) => payeeOf(header, line))
    const { is_retry: isRetry, ...rest } = withTarget(texts)
    const retry =
      isRetry === undefined ? {} : { is_retry: isRetry === 'true' ? true : isRetry === 'false' ? false : isRetry }
    return { ...rest, ...retry, payout_transaction_details: details }
  } catch (error) {
    if (error instanceof CsvError || error instanceof TypeError) return undefined
    throw error
  }
}

const MOST_LINES = 10_001

function payeeOf({ cells: names }: CsvRecord, { cells }: CsvRecord): JsonObject {
  const given = names.flatMap((name, index) => {
    const text = cells[index]?.trim() ?? ''
    return text === '' ? [] : [[name.trim(), text] as const]
  })
  return Object.fromEntries(
    given.map(([name, text]) => [name, name === 'amount' && NUMBER.test(text) ? new ExactNumber(text) : text]),
  )
}

/** A number as JSON writes it. */
const NUMBER = /^(?:0|[1-9]\d*)(?:\.\d+)?$/
