import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Where a query may run: on a connection that reads, or inside a transaction that writes. */
export type Db = Kysely<Tables>
