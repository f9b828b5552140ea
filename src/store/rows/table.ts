import type { ColumnType } from 'kysely'

/** A truth value in a column. */
export type Flag = 0 | 1

/** A row's number, given by the database. */
export type Numbering = ColumnType<number, never, never>

/** How a column is stored; instants are integers of milliseconds since the epoch, truth values are 0 or 1. */
export type StoredAs = 'text' | 'integer'

/** A row as the database holds it. */
export type StoredRow = Readonly<Record<string, string | number | null>>

/** A way to find rows: by the value of one column, or by several as a JSON array of their values. */
export type Lookup<Row> = {
  readonly columns: readonly string[]
  /** The value by which this row is found; null for a row that is not found in this way. */
  readonly keyOf: (row: Row) => string | null
}

/** One table, or the result of a query, as decisions see it. */
export type TableSpec<Row, Name extends string> = {
  /** Name of the table. */
  readonly name: string
  /** What is written, and its types; the first column is the primary key. */
  readonly columns: Readonly<Record<string, StoredAs>>
  readonly lookups: Readonly<Record<Name, Lookup<Row>>>
  readonly keyOf: (row: Row) => string
  /** Whether the database numbers the rows in the order in which they were made. */
  readonly numbered?: boolean
  /** What is selected instead of the whole table; with `groupBy` its rows are aggregates. Nothing of it is written. */
  readonly derived?: { readonly select: string; readonly groupBy: string }
  readonly fromRow: (row: StoredRow) => Row
  readonly toRow: (row: Row) => StoredRow
}

// A spec of any rows: each is used by a table of its own, which knows their type.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnySpec = TableSpec<any, string>

/** The rows of one table that a batch works with. */
export type Table<Row, Name extends string> = {
  /** The rows with this value, as the decisions so far have left them, in the order in which they were made. */
  find(lookup: Name, key: string): readonly Row[]
  /** The first of them, or null. */
  first(lookup: Name, key: string): Row | null
  /** Has rows loaded together with whatever is missing; null wants nothing. */
  want(lookup: Name, key: string | null): void
  /** Writes a row. One that is on record must have been looked up before. */
  put(row: Row): void
  remove(row: Row): void
}

/** Thrown by `find` where rows are not loaded yet: they are loaded, and the decision is made again. */
export const NOT_LOADED = Symbol('not loaded')

/** Undoes what one decision has put or removed. */
export type Journal = (() => void)[]

/** What is to be loaded of one table: keys by lookup. */
export type Wanted = ReadonlyMap<string, ReadonlySet<string>>

export type TrackedTable<Row, Name extends string> = Table<Row, Name> & {
  readonly spec: TableSpec<Row, Name>
  /** What was asked for and is not loaded. */
  wanted(): Wanted
  /** Takes in what a lookup has found for these keys; a row that was put or removed meanwhile stays as it is. */
  fill(lookup: Name, keys: Iterable<string>, found: readonly StoredRow[]): void
  changes(): TableChanges
  /** Every row that is loaded or was put, in the order in which they came. */
  all(): readonly Row[]
}

/** What is to be written of one table. */
export type TableChanges = {
  /** New rows. */
  readonly inserted: readonly StoredRow[]
  /** Rows that were on record, each with the names of the columns that have another value now. */
  readonly updated: readonly { readonly row: StoredRow; readonly columns: readonly string[] }[]
  /** Primary keys of the rows to be deleted. */
  readonly deleted: readonly string[]
}

/** A table without any rows loaded. Each change is noted in `journal`, so that it can be undone. */
export function trackTable<Row, Name extends string>(
  spec: TableSpec<Row, Name>,
  journal: Journal,
): TrackedTable<Row, Name> {
  /** Rows by primary key; null for one that was removed. */
  const rows = new Map<string, Row | null>()
  /** Rows as they are on record. */
  const stored = new Map<string, StoredRow>()
  const changed = new Set<string>()
  const missing = new Map<string, Set<string>>()
  const indexes = new Map<string, Index>()
  const names = Object.keys(spec.lookups) as Name[]

  const indexOf = (lookup: string): Index => {
    const index = indexes.get(lookup) ?? {
      loaded: new Map<string, Set<string>>(),
      added: new Map<string, Set<string>>(),
    }
    indexes.set(lookup, index)
    return index
  }
  const isLoaded = (lookup: Name, key: string): boolean => indexOf(lookup).loaded.has(key)

  const want = (lookup: Name, key: string | null): void => {
    if (key !== null && !isLoaded(lookup, key)) addTo(missing, lookup, key)
  }

  const find = (lookup: Name, key: string): Row[] => {
    const { loaded, added } = indexOf(lookup)
    const ids = loaded.get(key)
    if (ids === undefined) {
      addTo(missing, lookup, key)
      // A decision is left by it, and is no failure: an error would cost a stack trace.
      // oxlint-disable-next-line typescript/only-throw-error
      throw NOT_LOADED
    }
    const { keyOf } = spec.lookups[lookup]
    const result: Row[] = []
    for (const id of added.has(key) ? new Set([...ids, ...(added.get(key) ?? [])]) : ids) {
      const row = rows.get(id) ?? null
      if (row !== null && keyOf(row) === key) result.push(row)
    }
    return result
  }

  const change = (id: string, row: Row | null): void => {
    const before = rows.get(id)
    const wasChanged = changed.has(id)
    journal.push(() => {
      if (before === undefined) rows.delete(id)
      else rows.set(id, before)
      if (!wasChanged) changed.delete(id)
    })
    rows.set(id, row)
    changed.add(id)
  }

  return {
    spec,
    find,
    first: (lookup, key) => find(lookup, key)[0] ?? null,
    want,
    put(row) {
      const id = spec.keyOf(row)
      change(id, row)
      for (const name of names) {
        const key = spec.lookups[name].keyOf(row)
        // Entries that do not hold any more are told by the row itself.
        if (key !== null) addTo(indexOf(name).added, key, id)
      }
    },
    remove: (row) => change(spec.keyOf(row), null),
    wanted: () => missing,
    fill(lookup, keys, found) {
      const { loaded } = indexOf(lookup)
      for (const key of keys) loaded.set(key, new Set())
      const { keyOf } = spec.lookups[lookup]
      for (const storedRow of found) {
        const row = spec.fromRow(storedRow)
        const id = spec.keyOf(row)
        if (!stored.has(id)) stored.set(id, storedRow)
        if (!rows.has(id)) rows.set(id, row)
        const key = keyOf(row)
        if (key !== null) loaded.get(key)?.add(id)
      }
      missing.delete(lookup)
    },
    all: () => Array.from(rows.values()).filter((row) => row !== null),
    changes() {
      const inserted: StoredRow[] = []
      const updated: { row: StoredRow; columns: string[] }[] = []
      const deleted: string[] = []
      for (const id of changed) {
        const current = rows.get(id) ?? null
        const before = stored.get(id)
        if (current === null) {
          if (before !== undefined) deleted.push(id)
          continue
        }
        const row = spec.toRow(current)
        if (before === undefined) inserted.push(row)
        else {
          const columns = Object.keys(row).filter((name) => row[name] !== before[name])
          if (columns.length > 0) updated.push({ row, columns })
        }
      }
      return { inserted, updated, deleted }
    },
  }
}

/** Primary keys by the value of a lookup: of rows that were loaded, and of rows that were put. */
type Index = { readonly loaded: Map<string, Set<string>>; readonly added: Map<string, Set<string>> }

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}
