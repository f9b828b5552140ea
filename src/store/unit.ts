import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Runs queries: on a connection that reads, or inside a transaction that writes. */
export type Db = Kysely<Tables>
