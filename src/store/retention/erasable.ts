import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../group-commit.ts'
import { inLowerCase } from '../queries/payment-search.ts'
import type { ErasureKind } from './kinds.ts'

/** What payers are erased by. `value` is the id, the owner or the e-mail address. */
export type ErasureTarget = { readonly kind: ErasureKind; readonly value: string }

/** How many payments, agreements and payouts an erasure would find; also those whose payers were erased by their id, link or owner before. */
export type Erasable = Readonly<Record<'payments' | 'agreements' | 'payouts', number>>

/** Counts what an erasure would find, each by an index. */
export async function countErasable(db: Db, { kind, value }: ErasureTarget): Promise<Erasable> {
  const { payments = NONE, agreements = NONE, payouts = NONE } = FOUND_BY[kind](value)
  const { rows } = await sql<Record<keyof Erasable, unknown>>`select
    (select count(*) from payments where ${payments}) as payments,
    (select count(*) from agreements where ${agreements}) as agreements,
    (select count(*) from payout_records where ${payouts}) as payouts`.execute(db)
  const [found] = rows
  return {
    payments: Number(found?.payments),
    agreements: Number(found?.agreements),
    payouts: Number(found?.payouts),
  }
}

const NONE = sql`1 = 0`

const FOUND_BY: Readonly<
  Record<ErasureKind, (value: string) => { readonly [Table in keyof Erasable]?: RawBuilder<unknown> }>
> = {
  PAYMENT: (value) => ({ payments: sql`id = ${value}` }),
  LINK: (value) => ({ payments: sql`link_ref in (select ref from links where id = ${value})` }),
  AGREEMENT: (value) => ({ agreements: sql`id = ${value}` }),
  PAYOUT: (value) => ({ payouts: sql`id = ${value}` }),
  OWNER: (value) => ({ payments: sql`owner_id = ${value}`, agreements: sql`owner_id = ${value}` }),
  EMAIL: (value) => ({ payments: sql`id in (select payment_id from payment_payers where ${hasEmail(value)})` }),
}

/** In both cases, because only ASCII letters are lowered. */
export function hasEmail(email: string): RawBuilder<boolean> {
  const [given, upper] = [email, email.toUpperCase()].map(inLowerCase)
  return sql<boolean>`lower(email) in (${given}, ${upper}) and email is not null`
}
