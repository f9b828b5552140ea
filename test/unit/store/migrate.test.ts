import { describe, expect, it } from 'vitest'
import {
  type AppliedMigration,
  migrate,
  type MigrationTarget,
  type Compatibility,
  type Migration,
  parseMigration,
} from '../../../src/store/migrate.ts'

/** Returns a database in memory that records one step for each call. */
function target(applied: AppliedMigration[]): MigrationTarget & { readonly done: string[] } {
  const done: string[] = []
  return {
    done,
    applied: async () => [...applied],
    async apply({ number, name, compatibility }: Migration, step: number) {
      if (name.includes('broken')) throw new Error('syntax error')
      const index = applied.findIndex((row) => row.number === number)
      applied.splice(index === -1 ? applied.length : index, 1, { number, compatibility, steps: step + 1 })
      done.push(`${name} ${step}`)
    },
  }
}

const row = (number: number, compatibility: Compatibility = 'breaking', steps = 1) => ({
  number,
  compatibility,
  steps,
})
const FIRST = parseMigration('0001-first.sql', '-- breaking\nSELECT 1;\n')
const SECOND = parseMigration('0002-second.sql', '-- compatible\nSELECT 2;\n-- step, long\nSELECT 3;\n')

describe('migrate', () => {
  it('applies the steps that are missing, in order, once', async () => {
    const database = target([row(1)])
    await migrate(database, [FIRST, SECOND])
    await migrate(database, [FIRST, SECOND])
    expect(database.done).toEqual(['0002-second.sql 0', '0002-second.sql 1'])
  })

  it('goes on with a migration that was interrupted', async () => {
    const database = target([row(1), row(2, 'compatible', 1)])
    await migrate(database, [FIRST, SECOND])
    expect(database.done).toEqual(['0002-second.sql 1'])
  })

  it('announces each migration once, and none of a new database', async () => {
    const announced: number[] = []
    const onMigration = (number: number) => announced.push(number)
    await migrate(target([row(1)]), [FIRST, SECOND], { onMigration })
    expect(announced).toEqual([2])
    await migrate(target([]), [FIRST, SECOND], { onMigration })
    expect(announced).toEqual([2])
  })

  it('stops at a migration that fails', async () => {
    const database = target([])
    const broken = parseMigration('0003-broken.sql', '-- breaking\nSELECT;')
    const last = parseMigration('0004-last.sql', '-- breaking\nSELECT 4;')
    await expect(migrate(database, [FIRST, broken, last])).rejects.toThrow('syntax error')
    expect(database.done).toEqual(['0001-first.sql 0'])
  })

  it('tolerates compatible migrations of a later version, says which once, and applies its own', async () => {
    const told: (readonly number[])[] = []
    const database = target([row(1), row(7, 'compatible', 1), row(8, 'compatible', 3)])
    await migrate(database, [FIRST, SECOND], { onLaterMigrations: (numbers) => told.push(numbers) })
    expect(told).toEqual([[7, 8]])
    expect(database.done).toEqual(['0002-second.sql 0', '0002-second.sql 1'])
    await migrate(target([row(1)]), [FIRST], { onLaterMigrations: (numbers) => told.push(numbers) })
    expect(told).toHaveLength(1)
  })

  it('refuses a database with a later migration that is breaking, and says what to do', async () => {
    const database = target([row(1), row(7, 'compatible'), row(8)])
    await expect(migrate(database, [FIRST, SECOND])).rejects.toThrow(
      /a later version .*\(migration 8\): start the later version, or restore the backup/,
    )
    expect(database.done).toEqual([])
  })
})
