import { readdirSync, readFileSync } from 'node:fs'

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
export type StepKind = 'short' | 'long' | 'outside a transaction'

const FILE_NAME = /^\d{4}-[a-z0-9-]+\.sql$/
const MARK = /^-- (compatible|breaking)\n/
/** The line before a step; what precedes the first of these lines is a short step. */
const STEP = /^-- step, (.*)$/m
const COMMENTS = /^[ \t]*--.*$/gm

/**
 * Returns the migrations of one database's folder and, from the folder above it, those for all databases, in order. Throws if two have
 * the same number, since a database would apply only one of them, or if a file has no mark, no statement, or an unknown kind of step.
 */
export function readMigrations(folder: URL): Migration[] {
  const migrations = [new URL('../', folder), folder]
    .flatMap((each) =>
      readdirSync(each)
        .filter((file) => FILE_NAME.test(file))
        .map((name) => parseMigration(name, readFileSync(new URL(name, each), 'utf8'))),
    )
    .toSorted((one, other) => one.number - other.number)
  const twin = migrations.find(({ number }, index) => migrations[index + 1]?.number === number)
  if (twin !== undefined) throw new Error(`There is another migration with the number of ${twin.name}.`)
  return migrations
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
