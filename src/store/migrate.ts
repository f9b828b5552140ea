import { readdirSync, readFileSync } from 'node:fs'
import { StoreUnusableError } from './store-errors.ts'

/** A row of the table `migrations`. */
export type AppliedMigration = {
  readonly number: number
  readonly compatibility: Compatibility
  /** How many steps have been applied. */
  readonly steps: number
}

/** A database that can be migrated. */
export type MigrationTarget = {
  /** Returns what has been applied; an empty list if the database is new. */
  applied(): Promise<readonly AppliedMigration[]>
  /**
   * Applies this step of a migration and records it, and may apply and record the following steps, too. It may also do nothing, if
   * another process may have applied the step meanwhile: then it is called again if the step is still missing.
   */
  apply(migration: Migration, step: number): Promise<void>
}

/** Called while a database is opened. */
export type MigrationListener = {
  /** Called with the number of a migration before it is applied, unless the database is new: with many rows it may take minutes. */
  readonly onMigration?: ((number: number) => void) | undefined
  /** Called once with the numbers of a later version's migrations, if there are any and this version tolerates them. */
  readonly onLaterMigrations?: ((numbers: readonly number[]) => void) | undefined
  /** Called before each wait for the migrations of another process, or for a lock on a table. */
  readonly onMigrationWait?: (() => void) | undefined
}

/**
 * Applies the missing migrations step by step, so that a crash leaves each step applied or not begun. Throws `StoreUnusableError` if a
 * later version has changed the database in a way that this version does not tolerate.
 */
export async function migrate(
  target: MigrationTarget,
  migrations: readonly Migration[],
  listener: MigrationListener = {},
): Promise<void> {
  let applied = await target.applied()
  const isNew = applied.length === 0
  const later = laterMigrations(applied, migrations)
  if (later.length > 0) listener.onLaterMigrations?.(later)
  const announced = new Set<number>()
  for (let next = nextStep(applied, migrations); next !== null; next = nextStep(applied, migrations)) {
    const { number } = next.migration
    if (!isNew && !announced.has(number)) listener.onMigration?.(number)
    announced.add(number)
    await target.apply(next.migration, next.step)
    applied = await target.applied()
    laterMigrations(applied, migrations)
  }
}

/**
 * Returns the numbers of the migrations that this version does not have, all recorded as compatible. Throws `StoreUnusableError` if one
 * is not.
 */
function laterMigrations(applied: readonly AppliedMigration[], migrations: readonly Migration[]): number[] {
  const known = new Set(migrations.map(({ number }) => number))
  const later = applied.filter(({ number }) => !known.has(number))
  const breaking = later.filter(({ compatibility }) => compatibility !== 'compatible').map(({ number }) => number)
  if (breaking.length === 0) return later.map(({ number }) => number)
  throw new StoreUnusableError(
    `The database that DATABASE_URL names was changed by a later version of this program, and this version cannot work with it (migration ${breaking.join(', ')}): start the later version, or restore the backup from before the upgrade.`,
  )
}

/** Returns the first step that is missing; null if none is. */
function nextStep(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): { readonly migration: Migration; readonly step: number } | null {
  const byNumber = new Map(applied.map((row) => [row.number, row]))
  for (const migration of migrations) {
    const step = byNumber.get(migration.number)?.steps ?? 0
    if (step < migration.steps.length) return { migration, step }
  }
  return null
}

/** A change of the tables. Migrations are ordered by the number at the start of the file's name. */
export type Migration = {
  readonly number: number
  readonly name: string
  readonly compatibility: Compatibility
  /** At least one, in order. */
  readonly steps: readonly MigrationStep[]
}

/**
 * The mark in the first line of the file. 'compatible': a process of the version before works on the changed database. 'breaking': it
 * does not.
 */
export type Compatibility = 'compatible' | 'breaking'

/** A part of a migration that PostgreSQL applies by itself. On SQLite all steps are one transaction. */
export type MigrationStep = { readonly kind: StepKind; readonly sql: string }

/**
 * How PostgreSQL applies a step. 'short': a transaction during which no node writes. 'long': a transaction beside the nodes that
 * write. 'outside a transaction': one statement that PostgreSQL refuses in a transaction.
 */
type StepKind = 'short' | 'long' | 'outside a transaction'

const FILE_NAME = /^\d{4}-[a-z0-9-]+\.sql$/
const MARK = /^-- (compatible|breaking)\n/
/** The line before a step; what precedes the first of these lines is a short step. */
const STEP = /^-- step, (.*)$/m
const COMMENTS = /^[ \t]*--.*$/gm

/** What a migration has for one database alone: from this line to the next one of this kind, which may be "-- for both", or to the end. */
const PART = /^-- for (postgres|sqlite)\n([^]*?)(?=^-- for (?:postgres|sqlite|both)$|(?![^]))/gm

/** The words of PostgreSQL that SQLite has others for. Its indexes end in the row's number by themselves. */
const IN_SQLITE: readonly (readonly [words: RegExp, instead: string])[] = [
  [/BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY/g, 'INTEGER PRIMARY KEY AUTOINCREMENT'],
  [/BIGINT/g, 'INTEGER'],
  [/ COLLATE "C"/g, ''],
  [/strpos\(/g, 'instr('],
  [/, number\)/g, ')'],
  [/^\); -- WITHOUT ROWID$/gm, ') STRICT, WITHOUT ROWID;'],
  [/^\);$/gm, ') STRICT;'],
]

export type DatabaseKind = 'postgres' | 'sqlite'

const MIGRATIONS = new URL('migrations/', import.meta.url)

/**
 * Returns the migrations of a folder for a database, in order. Throws if two have the same number, since a database would apply only one of
 * them, or if a file has no mark, no statement, or an unknown kind of step.
 */
export function readMigrations(kind: DatabaseKind, folder = MIGRATIONS): Migration[] {
  const migrations = readdirSync(folder)
    .filter((file) => FILE_NAME.test(file))
    .map((name) => parseMigration(name, textFor(kind, readFileSync(new URL(name, folder), 'utf8'))))
    .toSorted((one, other) => one.number - other.number)
  const twin = migrations.find(({ number }, index) => migrations[index + 1]?.number === number)
  if (twin !== undefined) throw new Error(`There is another migration with the number of ${twin.name}.`)
  return migrations
}

function textFor(kind: DatabaseKind, text: string): string {
  const own = text.replaceAll(PART, (_part, whose: string, sql: string) => (whose === kind ? sql : ''))
  return kind === 'postgres' ? own : IN_SQLITE.reduce((sql, [words, instead]) => sql.replaceAll(words, instead), own)
}

/** Parses a file. Throws for the faults that `readMigrations` names, except for a number that is used twice. */
export function parseMigration(name: string, text: string): Migration {
  const [line = '', mark] = MARK.exec(text) ?? []
  if (mark === undefined) throw new Error(`The first line of ${name} must be "-- compatible" or "-- breaking".`)
  const [first = '', ...rest] = text.slice(line.length).split(STEP)
  const steps = [{ kind: 'short', sql: first }]
  for (let index = 0; index < rest.length; index += 2)
    steps.push({ kind: rest[index] ?? '', sql: rest[index + 1] ?? '' })
  const withStatements = steps.filter(({ sql }, index) => index > 0 || hasStatement(sql))
  if (withStatements.length === 0 || !withStatements.every(isStep))
    throw new Error(`Each step of ${name} needs a statement, and the kind short, long or outside a transaction.`)
  return { number: Number.parseInt(name, 10), name, compatibility: mark as Compatibility, steps: withStatements }
}

function isStep(step: { readonly kind: string; readonly sql: string }): step is MigrationStep {
  return ['short', 'long', 'outside a transaction'].includes(step.kind) && hasStatement(step.sql)
}

function hasStatement(sql: string): boolean {
  return sql.replaceAll(COMMENTS, '').trim() !== ''
}
