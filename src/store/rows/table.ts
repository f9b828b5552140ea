import type { ColumnType } from 'kysely'

/** A boolean in a column. */
export type Flag = 0 | 1

/** A row's number, assigned by the database. */
export type Numbering = ColumnType<number, never, never>

/** Type of a column. Instants are integers of milliseconds since the epoch, booleans are 0 or 1. */
export type StoredAs = 'text' | 'integer'

/** A row as stored in the database. */
export type StoredRow = Readonly<Record<string, string | number | null>>

/** A lookup of rows by the value of one column, or by those of several columns as a JSON array. */
export type Lookup<Row> = {
  readonly columns: readonly string[]
  /** Returns the value by which this row is found; null if this lookup does not find it. */
  readonly keyOf: (row: Row) => string | null
}

/** The description of a table, or of a query, for decisions. */
export type TableSpec<Row, Name extends string> = {
  /** Name of the table. */
  readonly name: string
  /** The written columns and their types; the first one is the primary key. */
  readonly columns: Readonly<Record<string, StoredAs>>
  readonly lookups: Readonly<Record<Name, Lookup<Row>>>
  readonly keyOf: (row: Row) => string
  /** Whether the database numbers the rows in the order of their creation. */
  readonly numbered?: boolean
  /** The query that is read instead of the table: its select list and grouping. It is never written. */
  readonly derived?: { readonly select: string; readonly groupBy: string }
  /** Columns of which a written row has what is added to the stored row, if there is one. Such rows are never looked up. */
  readonly summed?: readonly string[]
  readonly fromRow: (row: StoredRow) => Row
  readonly toRow: (row: Row) => StoredRow
}

// A spec of rows of any type: each table uses its own spec with the correct type.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnySpec = TableSpec<any, string>

/** The rows of one table in a batch. */
export type Table<Row, Name extends string> = {
  /** Returns the rows with this value, with the changes of the decisions so far, in the order of their creation. */
  find(lookup: Name, key: string): readonly Row[]
  /** Returns the first of them, or null. */
  first(lookup: Name, key: string): Row | null
  /** Requests rows for the next load of missing ones; null requests nothing. */
  want(lookup: Name, key: string | null): void
  /** Writes a row. An existing row must have been looked up before. */
  put(row: Row): void
  remove(row: Row): void
}

/** A committed row, decoded and as stored; both null if there is no row with its key. */
export type KnownRow = { readonly row: unknown; readonly stored: StoredRow | null }

/** Committed rows of one table by primary key, which need not be loaded. */
export type RecentRows = {
  /** Returns undefined if the database must be asked. */
  get(key: string): KnownRow | undefined
  set(key: string, known: KnownRow): void
}

const ABSENT: KnownRow = { row: null, stored: null }

/** Thrown by `find` if rows are not loaded yet: they are loaded, and the decision is run again. */
export const NOT_LOADED = Symbol('not loaded')

/** Functions that undo the changes of one decision; they are called in reverse order. */
export type Journal = (() => void)[]

/** The rows to load from one table: keys by lookup. */
export type Wanted = ReadonlyMap<string, ReadonlySet<string>>

export type TrackedTable<Row, Name extends string> = Table<Row, Name> & {
  readonly spec: TableSpec<Row, Name>
  /** Returns the requested rows that are not loaded. */
  wanted(): Wanted
  /** Adds the rows that a lookup found for these keys; a row that was put or removed meanwhile is not replaced. */
  fill(lookup: Name, keys: Iterable<string>, found: readonly StoredRow[]): void
  changes(): TableChanges
  /** Returns the changed rows as they were loaded and as they are; null for no row. */
  changedRows(): readonly { readonly before: Row | null; readonly after: Row | null }[]
  /** Adds the loaded and the changed rows to the recent ones. Called once the changes are committed. */
  remember(): void
  /** Returns all rows, in the order in which they were first loaded or put. */
  all(): readonly Row[]
}

/** The changes to write to one table. */
export type TableChanges = {
  /** New rows. */
  readonly inserted: readonly StoredRow[]
  /** Changed rows, each with the names of the changed columns. */
  readonly updated: readonly { readonly row: StoredRow; readonly columns: readonly string[] }[]
  /** Primary keys of the rows to be deleted. */
  readonly deleted: readonly string[]
}

/**
 * Creates a table without loaded rows. Each change adds its undo function to `journal`. Rows among `recent` are not requested; its keys
 * are those of the lookup by primary key.
 */
export function trackTable<Row, Name extends string>(
  spec: TableSpec<Row, Name>,
  journal: Journal,
  recent: RecentRows | null = null,
): TrackedTable<Row, Name> {
  /** Rows by primary key; null for a removed row. */
  const rows = new Map<string, Row | null>()
  /** Rows as stored in the database. */
  const stored = new Map<string, StoredRow>()
  const loadedRows = new Map<string, Row>()
  const changed = new Set<string>()
  const missing = new Map<string, Set<string>>()
  const indexes = new Map<string, Index>()
  const names = Object.keys(spec.lookups) as Name[]
  const [primaryKey] = Object.keys(spec.columns)
  const primary = names.find((name) => spec.lookups[name].columns.join() === primaryKey)

  const indexOf = (lookup: string): Index => {
    const index = indexes.get(lookup) ?? {
      loaded: new Map<string, Set<string>>(),
      added: new Map<string, Set<string>>(),
    }
    indexes.set(lookup, index)
    return index
  }
  /** Returns the primary keys of the loaded rows with this value; undefined if they are not loaded. */
  const loadedIds = (lookup: Name, key: string): ReadonlySet<string> | undefined => {
    const { loaded } = indexOf(lookup)
    const ids = loaded.get(key)
    const known = ids === undefined && lookup === primary ? recent?.get(key) : undefined
    if (known === undefined) return ids
    if (known.stored !== null) add(key, known.row as Row, known.stored)
    const recalled = new Set(known.stored === null ? [] : [key])
    loaded.set(key, recalled)
    return recalled
  }
  const add = (id: string, row: Row, storedRow: StoredRow): void => {
    if (!stored.has(id)) stored.set(id, storedRow)
    if (!loadedRows.has(id)) loadedRows.set(id, row)
    if (!rows.has(id)) rows.set(id, row)
  }

  const want = (lookup: Name, key: string | null): void => {
    if (key !== null && loadedIds(lookup, key) === undefined) addTo(missing, lookup, key)
  }

  /** Returns the primary keys of the rows that a lookup may find. */
  const idsOf = (lookup: Name, key: string): ReadonlySet<string> => {
    const ids = loadedIds(lookup, key)
    if (ids === undefined) {
      addTo(missing, lookup, key)
      // A symbol, because this interrupts the decision without a failure: an error would cost a stack trace.
      // oxlint-disable-next-line typescript/only-throw-error
      throw NOT_LOADED
    }
    const others = indexOf(lookup).added.get(key)
    return others === undefined ? ids : new Set([...ids, ...others])
  }
  const rowAt = (lookup: Name, key: string, id: string): Row | null => {
    const row = rows.get(id) ?? null
    return row !== null && spec.lookups[lookup].keyOf(row) === key ? row : null
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
    find: (lookup, key) => Array.from(idsOf(lookup, key), (id) => rowAt(lookup, key, id)).filter((row) => row !== null),
    first(lookup, key) {
      for (const id of idsOf(lookup, key)) {
        const row = rowAt(lookup, key, id)
        if (row !== null) return row
      }
      return null
    },
    want,
    put(row) {
      const id = spec.keyOf(row)
      change(id, row)
      for (const name of names) {
        const key = spec.lookups[name].keyOf(row)
        // Outdated entries stay in the index: `find` checks the row itself.
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
        add(id, row, storedRow)
        const key = keyOf(row)
        if (key !== null) loaded.get(key)?.add(id)
      }
      missing.delete(lookup)
    },
    all: () => Array.from(rows.values()).filter((row) => row !== null),
    remember() {
      if (recent === null || primary === undefined) return
      for (const [id, row] of rows)
        if (changed.has(id) || recent.get(id) === undefined)
          recent.set(id, row === null ? ABSENT : { row, stored: stored.get(id) ?? null })
      for (const key of indexOf(primary).loaded.keys())
        if (!rows.has(key) && recent.get(key) === undefined) recent.set(key, ABSENT)
    },
    changedRows: () =>
      Array.from(changed, (id) => ({ before: loadedRows.get(id) ?? null, after: rows.get(id) ?? null })),
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
        stored.set(id, row)
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

/** Primary keys by the value of a lookup: of loaded rows, and of rows that were put. */
type Index = { readonly loaded: Map<string, Set<string>>; readonly added: Map<string, Set<string>> }

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}

const DAY_MS = 86_400_000
/** `00` to `99` */
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
/** Cache of the last formatted day: most instants are close to each other, and formatting with `Date` takes several times as long. */
let lastDay = { number: 0, text: '1970-01-01T' }

/** Returns an instant in the format of the domain, ISO 8601 in UTC with milliseconds, from the milliseconds of a column. */
export function toIso(milliseconds: number): string {
  const number = Math.floor(milliseconds / DAY_MS)
  if (number !== lastDay.number) lastDay = { number, text: dayOf(number * DAY_MS) }
  const rest = milliseconds - number * DAY_MS
  const seconds = Math.floor(rest / 1_000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
  return `${lastDay.text}${clock}.${String(Math.floor(rest % 1_000)).padStart(3, '0')}Z`
}

/** Returns the date and `T`. Throws `RangeError` if the argument is not a valid instant. */
function dayOf(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString()
  return text.slice(0, text.indexOf('T') + 1)
}

function two(number: number): string {
  return TWO_DIGITS[number] ?? ''
}

/** Returns the milliseconds since the epoch of an ISO 8601 instant. Throws `RangeError` if the argument is not one. */
export function fromIso(instant: string): number {
  const milliseconds = Date.parse(instant)
  if (Number.isNaN(milliseconds)) throw new RangeError('What should be an instant is none.')
  return milliseconds
}
