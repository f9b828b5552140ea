import type { Kysely } from 'kysely'
import type { PaymentEvent } from '../domain/payments/payment-event.ts'
import { type Change, type Load, type Rows, trackRows } from './rows/rows.ts'
import { NOT_LOADED, type StoredRow } from './rows/table.ts'
import type { Tables } from './tables.ts'

/**
 * A decision: a synchronous function that depends only on the rows that it reads and changes. It is run again from its start whenever
 * it reads rows that are not loaded yet, so it must have no other side effect.
 */
export type DecisionOnRows<Result> = (rows: Rows) => Result

/** An open transaction. */
export type Transaction = {
  /** Returns the rows of each load, in the order of the loads. */
  load(loads: readonly Load[]): Promise<(readonly StoredRow[])[]>
  /** Writes rows, in the order of the tables. */
  store(changes: readonly Change[]): Promise<void>
  /** Queries inside the transaction. */
  readonly db: Db
}

/** The result of one decision, or the error that it threw; then it changed nothing. */
export type DecisionResult = { readonly result: unknown } | { readonly error: unknown }

type Decided = {
  readonly outcomes: readonly DecisionResult[]
  /** The events that were appended to the log, by position. */
  readonly appended: readonly PaymentEvent[]
}

/** Longest chain of lookups in which each depends on the result of the one before. */
const MOST_LOADS = 12

/**
 * Runs decisions in order, each on the rows as changed by the earlier ones, and stores all changes. Missing rows are loaded for all
 * decisions together. If a decision throws, its changes are undone and the others continue.
 */
export async function decideAll(
  transaction: Transaction,
  decisions: readonly DecisionOnRows<unknown>[],
): Promise<Decided> {
  const tracked = trackRows()
  const outcomes: DecisionResult[] = []
  decideLoaded(tracked, decisions, outcomes)
  for (let loads = 1; outcomes.length < decisions.length; loads += 1) {
    if (loads > MOST_LOADS) throw new Error('A decision asks for rows without end.')
    const missing = tracked.missing()
    const found = await transaction.load(missing)
    for (const [index, load] of missing.entries()) tracked.fill(load, found[index] ?? [])
    decideLoaded(tracked, decisions, outcomes)
  }
  const changes = tracked.changes()
  if (changes.length > 0) await transaction.store(changes)
  return { outcomes, appended: tracked.appended() }
}

/** Runs decisions up to the first with missing rows. Those after it are run only to collect their missing rows, and are undone. */
function decideLoaded(
  { rows, keep, undo }: ReturnType<typeof trackRows>,
  decisions: readonly DecisionOnRows<unknown>[],
  outcomes: DecisionResult[],
): void {
  let isComplete = true
  for (const decision of decisions.slice(outcomes.length)) {
    const outcome = attempt(decision, rows)
    if (outcome === null) isComplete = false
    if (isComplete && outcome !== null && 'result' in outcome) keep()
    else undo()
    if (isComplete && outcome !== null) outcomes.push(outcome)
  }
}

/** Returns null if rows are missing. */
function attempt(decision: DecisionOnRows<unknown>, rows: Rows): DecisionResult | null {
  try {
    return { result: decision(rows) }
  } catch (error) {
    return error === NOT_LOADED ? null : { error }
  }
}

/** Runs queries: on a connection that reads, or inside a transaction that writes. */
export type Db = Kysely<Tables>
