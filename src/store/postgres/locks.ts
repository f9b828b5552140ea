/**
 * Advisory locks of this program. Each is named by two numbers and belongs to one database. The first number identifies this program,
 * so that another program in the same database is unlikely to use the same lock.
 */
const OURS = 0x706179

/** Held by each transaction that writes, until its end. */
export const WRITERS_LOCK = `${OURS}, 1`

/** Held by the node that applies migrations. */
export const MIGRATION_LOCK = `${OURS}, 2`
