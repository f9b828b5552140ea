import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { PaymentAgreementStatus } from '../../domain/agreements/agreement-report.ts'
import type { Db, GroupCommit } from '../group-commit.ts'
import type { SigningKeyRecord, SigningKeyStore, SigningKeyUse } from '../signing-key-store.ts'
import type { SigningKeysTable, Tables } from '../tables.ts'

/** Besides, a status that is not known. */
const OPEN_STATUSES: readonly PaymentAgreementStatus[] = ['created', 'active', 'suspended']
const MOST_COUNTED = 10_000

/** Creates the queries of signing keys. */
export function createSigningKeyStore(reader: Db, lists: Db, exclusively: GroupCommit['exclusively']): SigningKeyStore {
  return {
    record: (uses, now, check = () => {}) =>
      exclusively(async ({ db }) => {
        const known = (await db.selectFrom('signing_keys').selectAll().execute()).map(toRecord)
        check(known)
        for (const use of uses) await recordOne(db, known, use, now)
      }),
    all: async () =>
      (
        await reader
          .selectFrom('signing_keys')
          .selectAll()
          .orderBy('setting')
          .orderBy('last_signed_at', 'desc')
          .execute()
      ).map(toRecord),
    openAgreements: (from, until) => countOpenAgreements(lists, from, until),
    cardTokens: (keyId) =>
      countMost(
        lists,
        lists
          .selectFrom('payment_payers')
          .select('payment_id')
          .where('card_token', 'is not', null)
          .where(sql`substr(card_token, 5, 8)`, '=', keyId),
      ),
  }
}

async function recordOne(
  db: Db,
  known: readonly SigningKeyRecord[],
  { setting, keyId, signs, lastCallbackAt }: SigningKeyUse,
  now: Date,
): Promise<void> {
  const ofSetting = known.filter((record) => record.setting === setting)
  const record = ofSetting.find((each) => each.keyId === keyId)
  const callbackAt = latest(record?.lastCallbackAt, lastCallbackAt)?.getTime() ?? null
  if (record === undefined) {
    // The keys that are recorded first may have signed before.
    const firstAt = signs && ofSetting.length > 0 ? now.getTime() : null
    const row = { first_signed_at: firstAt, last_signed_at: now.getTime(), last_callback_at: callbackAt }
    await db
      .insertInto('signing_keys')
      .values({ setting, key_id: keyId, ...row })
      .execute()
    return
  }
  await db
    .updateTable('signing_keys')
    .set({ last_callback_at: callbackAt, ...(signs ? { last_signed_at: now.getTime() } : {}) })
    .where('setting', '=', setting)
    .where('key_id', '=', keyId)
    .execute()
}

async function countOpenAgreements(db: Db, from: Date | null, until: Date): Promise<number> {
  const open = db
    .selectFrom('agreements')
    .select('created_at')
    .where((eb) => eb.or([eb('status', 'in', OPEN_STATUSES), eb('status', 'is', null)]))
    .where('created_at', '<=', until.getTime())
  return countMost(db, from === null ? open : open.where('created_at', '>=', from.getTime()))
}

async function countMost<Row>(db: Db, rows: SelectQueryBuilder<Tables, never, Row>): Promise<number> {
  const { count } = await db
    .selectFrom(rows.limit(MOST_COUNTED).as('found'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function toRecord(row: Selectable<SigningKeysTable>): SigningKeyRecord {
  return {
    setting: row.setting,
    keyId: row.key_id,
    firstSignedAt: row.first_signed_at === null ? null : new Date(row.first_signed_at),
    lastSignedAt: new Date(row.last_signed_at),
    lastCallbackAt: row.last_callback_at === null ? null : new Date(row.last_callback_at),
  }
}

function latest(one: Date | null | undefined, other: Date | null): Date | null {
  if (one == null || other === null) return one ?? other
  return one > other ? one : other
}
