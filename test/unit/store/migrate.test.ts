import { mkdirSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { migrate, type Migration, type MigrationTarget, readMigrations } from '../../../src/store/migrate.ts'
import { temporaryFolder } from '../../support/process.ts'

const FOLDER = new URL('../../../src/store/migrations/sqlite/', import.meta.url)

function target(applied: number[]): MigrationTarget & { readonly names: string[] } {
  const names: string[] = []
  return {
    names,
    prepare: async () => undefined,
    applied: async () => applied,
    async apply({ number, name }: Migration) {
      if (name.includes('broken')) throw new Error('syntax error')
      applied.push(number)
      names.push(name)
    },
  }
}

const migrations = [
  { number: 1, name: '0001-first.sql', sql: '' },
  { number: 2, name: '0002-second.sql', sql: '' },
]

describe('migrate', () => {
  it('applies what is missing, in order, once', async () => {
    const database = target([1])
    await migrate(database, migrations)
    await migrate(database, migrations)
    expect(database.names).toEqual(['0002-second.sql'])
  })

  it('stops at a migration that fails', async () => {
    const database = target([])
    const broken = [...migrations, { number: 3, name: '0003-broken.sql', sql: '' }]
    const last = { number: 4, name: '0004-last.sql', sql: '' }
    await expect(migrate(database, [...broken, last])).rejects.toThrow('syntax error')
    expect(database.names).toEqual(['0001-first.sql', '0002-second.sql'])
  })

  it('refuses a database that a later version has changed', async () => {
    const database = target([1, 2, 3])
    await expect(migrate(database, migrations)).rejects.toThrow('later version')
  })

  it('refuses a number that stands both in the folder and above it', () => {
    const folder = pathToFileURL(`${temporaryFolder()}/sqlite/`)
    mkdirSync(folder)
    writeFileSync(new URL('0001-own.sql', folder), '')
    writeFileSync(new URL('../0001-all.sql', folder), '')
    expect(() => readMigrations(folder)).toThrow('another migration with the number of 0001-')
  })

  it('reads those for every database from the folder above, in the order of all numbers', () => {
    const folder = pathToFileURL(`${temporaryFolder()}/sqlite/`)
    mkdirSync(folder)
    for (const [at, name] of [
      [folder, '0002-own.sql'],
      [folder, '0001-own.sql'],
      [new URL('../', folder), '0003-all.sql'],
    ] as const)
      writeFileSync(new URL(name, at), `-- ${name}`)
    expect(readMigrations(folder)).toEqual([
      { number: 1, name: '0001-own.sql', sql: '-- 0001-own.sql' },
      { number: 2, name: '0002-own.sql', sql: '-- 0002-own.sql' },
      { number: 3, name: '0003-all.sql', sql: '-- 0003-all.sql' },
    ])
  })

  it('reads the migrations of a folder in the order of their numbers', () => {
    const found = readMigrations(FOLDER)
    expect(found.map(({ number }) => number)).toEqual(found.map((_, index) => index + 1))
    expect(found[0]).toMatchObject({ number: 1, name: '0001-initial.sql' })
    expect(found[0]?.sql).toContain('CREATE TABLE events')
  })
})
