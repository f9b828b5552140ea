import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseMigration, readMigrations } from '../../../src/store/migrate.ts'
import { temporaryFolder } from '../../support/process.ts'
import { migrationFaults } from './migration-rules.ts'

const KINDS = ['sqlite', 'postgres'] as const

/** Writes migrations to a folder of their own. */
function folderOf(files: Readonly<Record<string, string>>): URL {
  const folder = pathToFileURL(`${temporaryFolder()}/`)
  for (const [name, text] of Object.entries(files)) writeFileSync(new URL(name, folder), text)
  return folder
}

describe('readMigrations', () => {
  it('refuses a number that is used twice', () => {
    const folder = folderOf({ '0001-own.sql': '-- compatible\nSELECT 1;', '0001-all.sql': '-- compatible\nSELECT 1;' })
    expect(() => readMigrations('sqlite', folder)).toThrow('another migration with the number of 0001-')
  })

  it.each([
    ['postgres', 'CREATE TABLE a (\n  at BIGINT\n);\nSELECT p;\n-- for both\nSELECT 1;\n'],
    ['sqlite', 'CREATE TABLE a (\n  at INTEGER\n) STRICT;\n-- for both\nSELECT 1;\nSELECT s;'],
  ] as const)('reads what a file has for %s, in its words', (dialect, sql) => {
    const table = 'CREATE TABLE a (\n  at BIGINT\n);\n'
    const text = `-- compatible\n${table}-- for postgres\nSELECT p;\n-- for both\nSELECT 1;\n-- for sqlite\nSELECT s;`
    expect(readMigrations(dialect, folderOf({ '0001-all.sql': text }))[0]?.steps).toEqual([{ kind: 'short', sql }])
  })

  it.each(KINDS)('reads the migrations for %s in the order of their numbers', (kind) => {
    const found = readMigrations(kind)
    const numbers = found.map(({ number }) => number)
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
    expect(found[0]).toMatchObject({ number: 1, name: '0001-baseline.sql', compatibility: 'breaking' })
    expect(found[0]?.steps[0]?.sql).toContain('CREATE TABLE events')
  })
})

describe('parseMigration', () => {
  it('reads the mark and the steps', () => {
    const text = [
      '-- compatible',
      '-- Why it is needed.',
      'ALTER TABLE a ADD COLUMN b TEXT;',
      '-- step, outside a transaction',
      'CREATE INDEX CONCURRENTLY IF NOT EXISTS a_by_b ON a (b);',
      '-- step, long',
      '-- Why it is long.',
      'ALTER TABLE a VALIDATE CONSTRAINT c;',
      '-- step, short',
      'ALTER TABLE a DROP CONSTRAINT c;',
      '',
    ]
    expect(parseMigration('0012-more.sql', text.join('\n'))).toEqual({
      number: 12,
      name: '0012-more.sql',
      compatibility: 'compatible',
      steps: [
        { kind: 'short', sql: '-- Why it is needed.\nALTER TABLE a ADD COLUMN b TEXT;\n' },
        {
          kind: 'outside a transaction',
          sql: '\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a_by_b ON a (b);\n',
        },
        { kind: 'long', sql: '\n-- Why it is long.\nALTER TABLE a VALIDATE CONSTRAINT c;\n' },
        { kind: 'short', sql: '\nALTER TABLE a DROP CONSTRAINT c;\n' },
      ],
    })
  })

  it('needs no statement before the first line of a step', () => {
    const { steps } = parseMigration('0012-long.sql', '-- breaking\n-- Why.\n-- step, long\nSELECT 1;\n')
    expect(steps).toEqual([{ kind: 'long', sql: '\nSELECT 1;\n' }])
  })

  it.each([
    ['no mark', 'SELECT 1;', 'first line of 0012-bad.sql'],
    ['a mark that is not in the first line', '-- Why.\n-- compatible\nSELECT 1;', 'first line of 0012-bad.sql'],
    ['an unknown mark', '-- additive\nSELECT 1;', 'first line of 0012-bad.sql'],
    ['no statement', '-- compatible\n-- Why.\n', 'Each step of 0012-bad.sql'],
    ['a step without a statement', '-- compatible\nSELECT 1;\n-- step, long\n', 'Each step of 0012-bad.sql'],
    ['an unknown kind of step', '-- compatible\n-- step, slow\nSELECT 1;\n', 'Each step of 0012-bad.sql'],
  ])('refuses a file with %s', (_, text, message) => {
    expect(() => parseMigration('0012-bad.sql', text)).toThrow(message)
  })
})

describe.each(KINDS)('the rules for migrations of %s', (kind) => {
  it('hold for every file', () => {
    const found = readMigrations(kind)
    expect(found.flatMap((migration) => migrationFaults(migration, kind))).toEqual([])
  })
})
