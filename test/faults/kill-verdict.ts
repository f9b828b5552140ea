import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The contents of a database file, read without the store's code. */
export type Verdict = {
  /** The payments of the stored deliveries, one entry per delivery. */
  readonly subjects: readonly string[]
  readonly head: number
  /** Contradictions in the data; empty if there are none. */
  readonly faults: readonly string[]
}

/** Reads a copy of the database file of a process that has ended, so that the next start finds the file unchanged. */
export function judge(path: string): Verdict {
  const folder = mkdtempSync(join(tmpdir(), 'payments-judged-'))
  const copy = join(folder, 'payments.db')
  for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
  const database = new DatabaseSync(copy)
  try {
    return verdictOn((sql) => database.prepare(sql).all())
  } finally {
    database.close()
    rmSync(folder, { recursive: true })
  }
}

function verdictOn(rows: (sql: string) => Record<string, unknown>[]): Verdict {
  const one = (sql: string) => Object.values(rows(sql)[0] ?? {})[0]
  const head = Number(one('SELECT position FROM log_head'))
  const positions = rows('SELECT count(*) AS events, coalesce(max(position), 0) AS last FROM events')[0]
  const gaps = rows('SELECT stream_id FROM events GROUP BY stream_id HAVING count(*) <> max(sequence)')
  const integrity = one('PRAGMA integrity_check')
  return {
    subjects: rows('SELECT subject_id FROM deliveries').map(({ subject_id: id }) => String(id)),
    head,
    faults: [
      ...(integrity === 'ok' ? [] : [`integrity: ${String(integrity)}`]),
      ...rows('PRAGMA foreign_key_check').map((row) => `foreign key: ${JSON.stringify(row)}`),
      ...(positions?.['events'] === head && positions['last'] === head
        ? []
        : [`the head is ${head}, and the log ${JSON.stringify(positions)}`]),
      ...gaps.map(({ stream_id: id }) => `a gap in ${String(id)}`),
      ...rows('SELECT id FROM deliveries WHERE event_id IS NULL').map(
        ({ id }) => `delivery ${String(id)} without an event`,
      ),
    ],
  }
}

/** Returns the acknowledged payments that were not stored. */
export function lost(acknowledged: Iterable<string>, { subjects }: Verdict): string[] {
  const stored = new Set(subjects)
  return [...acknowledged].filter((id) => !stored.has(id))
}
