import type { ImportPlace, ImportPlan, PaymentImport } from '../../domain/imports/import-plan.ts'
import type { PartReport } from '../../domain/imports/import-report.ts'
import type { Flag, Numbering, StoredRow, TableSpec } from './table.ts'

export type PaymentImportsTable = {
  number: Numbering
  from_at: number
  to_at: number
  dry_run: Flag
  daily: Flag
  requested_by: string | null
  requested_at: number
  parts_json: string
  place_json: string
  reports_json: string
  done_at: number | null
}

export type PaymentImportEntriesTable = { key: string }

export const PAYMENT_IMPORTS: TableSpec<PaymentImport, 'number'> = {
  name: 'payment_imports',
  columns: {
    number: 'integer',
    from_at: 'integer',
    to_at: 'integer',
    dry_run: 'integer',
    daily: 'integer',
    requested_by: 'text',
    requested_at: 'integer',
    parts_json: 'text',
    place_json: 'text',
    reports_json: 'text',
    done_at: 'integer',
  },
  keyOf: ({ number }) => String(number),
  lookups: { number: { columns: ['number'], keyOf: ({ number }) => String(number) } },
  fromRow: toImport,
  toRow: ({ number, plan, dryRun, daily, requestedBy, requestedAt, place, reports, doneAt }) => ({
    number,
    from_at: plan.from,
    to_at: plan.to,
    dry_run: dryRun ? 1 : 0,
    daily: daily ? 1 : 0,
    requested_by: requestedBy,
    requested_at: requestedAt,
    parts_json: JSON.stringify(plan.parts),
    place_json: JSON.stringify(place),
    reports_json: JSON.stringify(reports),
    done_at: doneAt,
  }),
}

/** Returns the import of a row. */
export function toImport(row: StoredRow): PaymentImport {
  return {
    number: Number(row['number']),
    plan: {
      from: Number(row['from_at']),
      to: Number(row['to_at']),
      parts: JSON.parse(String(row['parts_json'])) as ImportPlan['parts'],
    },
    dryRun: row['dry_run'] === 1,
    daily: row['daily'] === 1,
    requestedBy: row['requested_by'] as string | null,
    requestedAt: Number(row['requested_at']),
    place: JSON.parse(String(row['place_json'])) as ImportPlace,
    reports: JSON.parse(String(row['reports_json'])) as PartReport[],
    doneAt: row['done_at'] as number | null,
  }
}

/** An object that a running import has seen in a list, so that it is counted once. */
export type ImportEntryRow = { readonly key: string }

export const PAYMENT_IMPORT_ENTRIES: TableSpec<ImportEntryRow, 'key'> = {
  name: 'payment_import_entries',
  columns: { key: 'text' },
  keyOf: ({ key }) => key,
  lookups: { key: { columns: ['key'], keyOf: ({ key }) => key } },
  fromRow: ({ key }) => ({ key: String(key) }),
  toRow: ({ key }) => ({ key }),
}

/** Returns what the keys of the entries of a part begin with. */
export function entryPrefix(number: number, part: number): string {
  return `${number}/${part}/`
}
