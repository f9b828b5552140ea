import type { RefKind } from '../../command-store.ts'
import type { Db } from '../../unit.ts'

/** The attempt of a correlation id. */
export type KnownRef = { readonly kind: RefKind; readonly commandId: string; readonly site: string | null }

/** Returns the attempt with this correlation id, even if its command was deleted. */
async function findRef(db: Db, ref: string): Promise<KnownRef | null> {
  const row = await db
    .selectFrom('command_refs')
    .select(['kind', 'command_id', 'site'])
    .where('ref', '=', ref)
    .executeTakeFirst()
  return row === undefined ? null : { kind: row.kind, commandId: row.command_id, site: row.site }
}

/** Returns whether this correlation id belongs to an attempt of one of these kinds. */
export async function knowsRef(db: Db, ref: string, kinds: readonly RefKind[]): Promise<boolean> {
  const known = await findRef(db, ref)
  return known !== null && kinds.includes(known.kind)
}

/** Returns the correlation ids of all attempts of the same command; only the given one if it is unknown. */
export async function refsOfSameCommand(db: Db, ref: string): Promise<string[]> {
  const known = await findRef(db, ref)
  if (known === null) return [ref]
  const rows = await db.selectFrom('command_refs').select('ref').where('command_id', '=', known.commandId).execute()
  return rows.map((row) => row.ref)
}
