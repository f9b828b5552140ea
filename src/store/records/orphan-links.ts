import { isOrphan } from '../../domain/orphan-link.ts'
import { PAID_RANK } from '../../domain/payment-status.ts'
import type { OrphanLink } from '../store.ts'
import type { Db } from '../unit.ts'
import { findCommand } from './command-records.ts'
import { findRef, refsOfSameCommand } from './refs.ts'

/** The orphan that a correlator stands for, where no link is on record for it; null when it is none. */
export async function findOrphan(db: Db, ref: string, at: Date): Promise<OrphanLink | null> {
  const attempt = await findRef(db, ref)
  if (attempt?.kind !== 'link') return null
  const command = await findCommand(db, { id: attempt.commandId })
  return isOrphan(ref, command, at.getTime()) ? { ref, commandId: attempt.commandId } : null
}

/** A payment that was paid at the address of any attempt of the command that was given this correlator; or null. */
export async function paidThrough(db: Db, ref: string): Promise<string | null> {
  const row = await db
    .selectFrom('payments')
    .select('id')
    .where('link_ref', 'in', await refsOfSameCommand(db, ref))
    .where('rank', '>=', PAID_RANK)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}
