import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { Command } from '../../domain/command.ts'
import { CREATE_GATEWAY_PAYMENT, type UnansweredGatewayCreation } from '../../domain/gateway/gateway-payment.ts'
import { PAID_RANK } from '../../domain/payments/payment-report.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import type { CommandKey } from '../command-store.ts'
import type { Db, GroupCommit } from '../group-commit.ts'
import type { Database } from '../port.ts'
import { toAgreement } from '../rows/agreement-rows.ts'
import { COMMANDS, REQUESTED } from '../rows/command-rows.ts'
import { toPayout } from '../rows/payout-rows.ts'
import { toIso } from '../rows/table.ts'
import { refsOfSameCommand } from './deliveries/inbox.ts'

/** Creates the queries of commands, and their bulk changes. */
export function commandQueries(reader: Db, exclusively: GroupCommit['exclusively']): Database['commands'] {
  return {
    find: (key) => findByKey(reader, key),
    hasNamesake: (command) => hasNamesake(reader, command),
    hasRival: (command, since) => hasRival(reader, command, since),
    traceAgreement: async (ref) => agreementOf(reader, await refsOfSameCommand(reader, ref)),
    tracePayout: async (ref) => payoutOf(reader, await refsOfSameCommand(reader, ref)),
    paidThrough: async (ref) => paidThrough(reader, await refsOfSameCommand(reader, ref)),
    unansweredGatewayCreations: (limit) => unansweredGatewayCreations(reader, limit),
    expireLeases: (now) => exclusively(({ db }) => expireLeases(db, now)),
    purge: (before) => purge(exclusively, before.getTime()),
  }
}

async function findByKey(db: Db, { mutation, key, keyScope }: CommandKey): Promise<Command | null> {
  const row = await db
    .selectFrom('commands')
    .selectAll()
    .where('mutation', '=', mutation)
    .where('key', '=', key)
    .where('key_scope', '=', keyScope)
    .executeTakeFirst()
  return row === undefined ? null : COMMANDS.fromRow(row)
}

async function hasNamesake(db: Db, { id, mutation, key }: Command): Promise<boolean> {
  const row = await db
    .selectFrom('commands')
    .select('id')
    .where('id', '!=', id)
    .where('mutation', '=', mutation)
    .where('key', '=', key)
    .where('state', '!=', 'REJECTED')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** See `CommandQueries.hasRival`. */
export async function hasRival(db: Db, { id, mutation, result }: Command, since: number): Promise<boolean> {
  const alike = db
    .selectFrom('commands')
    .select('id')
    .where('id', '!=', id)
    .where('mutation', '=', mutation)
    .where('result_json', '=', JSON.stringify(result))
  // A union of two queries, because SQLite uses an index for only one of several conditions.
  const row = await alike
    .where('state', 'in', ['SENT', 'UNKNOWN'])
    .unionAll(alike.where('state', '=', 'SETTLED').where('sent_at', '>=', since))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the agreement that was created under one of these correlation ids. */
async function agreementOf(db: Db, refs: readonly string[]): Promise<Agreement | null> {
  const row = await db.selectFrom('agreements').select('state_json').where('ref', 'in', refs).executeTakeFirst()
  return row === undefined ? null : toAgreement(row.state_json)
}

/** Returns the payout that was created under one of these correlation ids. */
async function payoutOf(db: Db, refs: readonly string[]): Promise<Payout | null> {
  const row = await db.selectFrom('payout_records').select('state_json').where('ref', 'in', refs).executeTakeFirst()
  return row === undefined ? null : toPayout(row.state_json)
}

/** Returns the id of the first payment that was paid under one of these correlation ids; null if there is none. */
async function paidThrough(db: Db, refs: readonly string[]): Promise<string | null> {
  const row = await db
    .selectFrom('payments')
    .select('id')
    .where('link_ref', 'in', refs)
    .where('rank', '>=', PAID_RANK)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

async function expireLeases(db: Db, now: number): Promise<number> {
  const result = await db
    .updateTable('commands')
    .set({ state: 'UNKNOWN' })
    .where('state', '=', 'SENT')
    .where('lease_until', '<', now)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** Rows per transaction; other writes can run between two transactions. */
const PURGED_AT_ONCE = 500

async function purge(exclusively: GroupCommit['exclusively'], before: number): Promise<number> {
  let purged = 0
  for (;;) {
    const count = await exclusively(({ db }) => purgeSome(db, before))
    purged += count
    if (count < PURGED_AT_ONCE) return purged
  }
}

async function purgeSome(db: Db, before: number): Promise<number> {
  const old = db
    .selectFrom('commands')
    .select('id')
    .where('state', 'in', ['SETTLED', 'REJECTED', 'ABANDONED'])
    .where('lease_until', '<', before)
    .limit(PURGED_AT_ONCE)
  const result = await db.deleteFrom('commands').where('id', 'in', old).executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** See `CommandQueries.unansweredGatewayCreations`. They are read from the index of commands by mutation and state. */
async function unansweredGatewayCreations(db: Db, limit: number): Promise<UnansweredGatewayCreation[]> {
  const rows = await db
    .selectFrom('commands')
    .innerJoin('command_refs', 'command_refs.ref', 'commands.ref')
    .leftJoin('gateway_payments', 'gateway_payments.ref', 'commands.ref')
    .select(['commands.id', 'commands.sent_at', 'command_refs.site', 'command_refs.requested_json'])
    .where('commands.mutation', '=', CREATE_GATEWAY_PAYMENT)
    .where('commands.state', '=', 'UNKNOWN')
    .where('gateway_payments.id', 'is', null)
    .orderBy('commands.sent_at')
    .limit(limit)
    .execute()
  return rows.flatMap(({ id, sent_at, site, requested_json }) => {
    const requested = REQUESTED.read(requested_json)
    return requested === null ? [] : [{ ...requested, operationId: id, site, requestedAt: toIso(sent_at) }]
  })
}
