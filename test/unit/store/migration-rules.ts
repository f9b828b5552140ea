import type { Migration } from '../../../src/store/migrate.ts'

type Statement = { readonly sql: string; readonly kind: string; readonly alone: boolean }

type Rule = {
  readonly fault: string
  /** Whether the rule is about nodes that run meanwhile, so that it holds for PostgreSQL alone. */
  readonly postgresOnly?: boolean
  readonly compatibleOnly?: boolean
  /** Returns whether a statement breaks the rule; `made` are the tables, indexes and constraints that the file itself creates. */
  readonly breaks: (statement: Statement, made: ReadonlySet<string>) => boolean
}

const CREATE_INDEX = /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:IF NOT EXISTS )?\w+ ON (?!ONLY )(\w+)/i
const REPEATABLE =
  /^(?:CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS \w|DROP INDEX CONCURRENTLY IF EXISTS |ANALYZE |VACUUM (?!FULL))/i
const ADD_COLUMN = /\bADD (?:COLUMN )?(?!CONSTRAINT\b|PRIMARY\b|UNIQUE\b|CHECK\b|FOREIGN\b)(?:IF NOT EXISTS )?\w+ /i
const VOLATILE =
  /\b(?:BIG|SMALL)?SERIAL\b|\bIDENTITY\b|\bSTORED\b|\b(?:gen_random_uuid|random|clock_timestamp|nextval)\s*\(/i
const ADD_CONSTRAINT = /\bADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY|EXCLUDE)\b/i
/** What is dropped, by its name; `DROP NOT NULL` and the like have no name. */
const DROP = /\bDROP (?:TABLE |INDEX |COLUMN |CONSTRAINT )?(?:CONCURRENTLY )?(?:IF EXISTS )?(\w+)/i
const RENAME = /\bRENAME (?:TO|COLUMN|CONSTRAINT|\w+ TO)\b/i
/** Tables of a few rows. */
const SMALL: ReadonlySet<string> = new Set(['meta', 'log_head', 'leases', 'migrations'])

const isOn = (made: ReadonlySet<string>, name: string | undefined) => name !== undefined && made.has(name.toLowerCase())
const altered = (sql: string) => /^ALTER (?:TABLE|INDEX) (?:IF EXISTS )?(?:ONLY )?(\w+)/i.exec(sql)?.[1]

const RULES: readonly Rule[] = [
  {
    fault: 'changes a type',
    breaks: ({ sql }, made) => /\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/i.test(sql) && !isOn(made, altered(sql)),
  },
  {
    fault: 'rewrites a table',
    postgresOnly: true,
    breaks: ({ sql }, made) =>
      /\bSET (?:UN)?LOGGED\b|^CLUSTER\b|^VACUUM \(?FULL\b/i.test(sql) ||
      (ADD_COLUMN.test(sql) && VOLATILE.test(sql) && altered(sql) !== undefined && !isOn(made, altered(sql))),
  },
  {
    fault: 'updates many rows',
    postgresOnly: true,
    breaks: ({ sql }, made) => {
      const [, table = ''] = /^(?:UPDATE|DELETE FROM) (?:ONLY )?(\w+)/i.exec(sql) ?? []
      return table !== '' && !isOn(made, table) && !SMALL.has(table)
    },
  },
  {
    fault: 'builds an index while writers wait',
    postgresOnly: true,
    breaks: ({ sql }, made) => {
      const table = CREATE_INDEX.exec(sql)?.[1]
      return table !== undefined && !isOn(made, table)
    },
  },
  {
    fault: 'needs a step outside a transaction with one statement',
    postgresOnly: true,
    breaks: ({ sql, kind, alone }) => /\bCONCURRENTLY\b/i.test(sql) && !(kind === 'outside a transaction' && alone),
  },
  {
    fault: 'cannot be repeated',
    postgresOnly: true,
    breaks: ({ sql, kind, alone }) => kind === 'outside a transaction' && alone && !REPEATABLE.test(sql),
  },
  {
    fault: 'needs a default',
    breaks: ({ sql }, made) =>
      altered(sql) !== undefined &&
      !isOn(made, altered(sql)) &&
      ((ADD_COLUMN.test(sql) && /\bNOT NULL\b/i.test(sql) && !/\bDEFAULT\b/i.test(sql)) ||
        /\bSET NOT NULL\b/i.test(sql)),
  },
  {
    fault: 'checks all rows',
    postgresOnly: true,
    breaks: ({ sql }, made) =>
      ADD_CONSTRAINT.test(sql) &&
      altered(sql) !== undefined &&
      !isOn(made, altered(sql)) &&
      !/\bNOT VALID\b|\bUSING INDEX\b/i.test(sql),
  },
  {
    fault: 'needs a long step',
    postgresOnly: true,
    breaks: ({ sql, kind }) => /\bVALIDATE CONSTRAINT\b/i.test(sql) && kind !== 'long',
  },
  {
    fault: 'drops',
    compatibleOnly: true,
    breaks: ({ sql }, made) => {
      if (RENAME.test(sql)) return !isOn(made, altered(sql))
      // The table that the file puts in the place of a renamed one gives the column a default.
      if (/\bDROP IDENTITY\b/i.test(sql)) return !made.has(renamed(altered(sql) ?? ''))
      const dropped = DROP.exec(sql)?.[1]
      return dropped !== undefined && !isOn(made, dropped)
    },
  },
]

/** Returns what breaks the rules of `docs/contributing/migrations.md`, one line for each fault. */
export function migrationFaults(migration: Migration, kind: 'sqlite' | 'postgres'): string[] {
  const statements = migration.steps.flatMap((step) =>
    statementsOf(step.sql).map((sql, _, all) => ({ sql, kind: step.kind, alone: all.length === 1 })),
  )
  const made = new Set(statements.flatMap(({ sql }) => creations(sql)))
  const rules = RULES.filter(
    ({ postgresOnly, compatibleOnly }) =>
      (postgresOnly !== true || kind === 'postgres') &&
      (compatibleOnly !== true || migration.compatibility === 'compatible'),
  )
  return statements.flatMap((statement) =>
    rules
      .filter(({ breaks }) => breaks(statement, made))
      .map(({ fault }) => `${migration.name} ${fault}: ${statement.sql.slice(0, 80)}`),
  )
}

/** Splits a script at the semicolons at the end of a line, without comments and with single spaces. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
}

/** Returns the names, in lower case, of what a statement creates. */
function creations(sql: string): string[] {
  const table = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i.exec(sql)?.[1]
  const index = /^CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+)/i.exec(sql)?.[1]
  const constraint = /\bADD CONSTRAINT (\w+)/i.exec(sql)?.[1]
  const rename = /^ALTER TABLE \w+ RENAME TO (\w+)/i.exec(sql)?.[1]
  const replaced = /^ALTER INDEX \w+ RENAME TO (\w+)/i.exec(sql)?.[1]
  return [table, index, constraint, rename && renamed(rename), replaced].flatMap((name) => name?.toLowerCase() ?? [])
}

/** Returns the mark of a table that the file gives this name to; the rules for new tables do not apply to it. */
function renamed(name: string): string {
  return `renamed ${name.toLowerCase()}`
}
