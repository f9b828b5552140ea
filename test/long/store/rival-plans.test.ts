import { expect, it } from 'vitest'
import type { Command } from '../../../src/domain/command.ts'
import { hasRival } from '../../../src/store/queries/command-queries.ts'
import { present } from '../../store/contract/builders.ts'
import { findPostgres } from '../../support/postgres.ts'
import { notedPostgres, notedSqlite } from './noted-plans.ts'

const SINCE = Date.UTC(2031, 0, 1)
const COMMAND = { id: 'C-none', mutation: 'createPaymentLink', result: { linkId: 'LINK-none' } } as unknown as Command

// Every fiftieth payment has a refund: far more commands than may be read.
it('whether a command has a rival is looked up by index on SQLite', async () => {
  const { db, plans } = await notedSqlite([])
  expect(await hasRival(db, COMMAND, SINCE)).toBe(false)
  expect(plans.filter((step) => step.includes('commands'))).toEqual([
    'SEARCH commands USING INDEX commands_by_mutation (mutation=? AND state=?)',
    'SEARCH commands USING INDEX commands_by_mutation (mutation=? AND state=? AND sent_at>?)',
  ])
})

const server = await findPostgres()

it.skipIf(server === null)('on PostgreSQL no command is read that is neither open nor recent', async () => {
  const { db, plans } = await notedPostgres(present(server), [])
  expect(await hasRival(db, COMMAND, SINCE)).toBe(false)
  expect(plans.join('\n')).toContain('commands_by_mutation')
  expect(plans.filter((step) => step.includes('Removed by Filter') || step.includes('Seq Scan'))).toEqual([])
})
