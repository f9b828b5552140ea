/**
 * Advisory locks of this program, as the two numbers that name one (a database has them apart from any other's). The first
 * number is ours, so that another program in the same database is unlikely to meet it.
 */
const OURS = 0x706179

/** Held by the transaction that writes. */
export const WRITERS_LOCK = `${OURS}, 1`

/** Held by the node that brings the tables up to date. */
export const MIGRATION_LOCK = `${OURS}, 2`
