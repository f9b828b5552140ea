import type { RefKind } from '../../command-store.ts'
import type { Db } from '../../unit.ts'

/** A correlation id as it was given to an attempt. */
export type KnownRef = { readonly kind: RefKind; readonly commandId: string; readonly site: string | null }

/** The attempt that was given this correlation id, also of a command that has been forgotten. */
async function findRef(db: Db, ref: string): Promise<KnownRef | null> {
  const row = await db
    .selectFrom('command_refs')
    .select(['kind', 'command_id', 'site'])
    .where('ref', '=', ref)
    .executeTakeFirst()
  return row === undefined ? null : { kind: row.kind, commandId: row.command_id, site: row.site }
}

/** True when this correlation id was given to an attempt of one of these kinds. */
export async function knowsRef(db: Db, ref: string, kinds: readonly RefKind[]): Promise<boolean> {
  const known = await findRef(db, ref)
  return known !== null && kinds.includes(known.kind)
}

/** The correlation ids of all attempts of the command that was given this one; the one itself where it is not known. */
export async function refsOfSameCommand(db: Db, ref: string): Promise<string[]> {
  const known = await findRef(db, ref)
  if (known === null) return [ref]
  const rows = await db.selectFrom('command_refs').select('ref').where('command_id', '=', known.commandId).execute()
  return rows.map((row) => row.ref)
}
