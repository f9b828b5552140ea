import type { PaymentEvent } from '../domain/payments/payment-event.ts'
import type { Change, Load, Rows } from './rows/rows.ts'
import { trackRows } from './rows/rows.ts'
import { NOT_LOADED, type StoredRow } from './rows/table.ts'
import type { Db } from './unit.ts'

/**
 * Decides what becomes of some rows: a function of those rows alone, which awaits nothing. It is run again from its start
 * whenever rows that it asks for are not loaded yet, so it must have no other effect.
 */
export type DecisionOnRows<Result> = (rows: Rows) => Result

/** A transaction that has begun. */
export type Transaction = {
  /** Finds rows, each load by one statement at most. */
  load(loads: readonly Load[]): Promise<(readonly StoredRow[])[]>
  /** Writes rows, in the order of the tables. */
  store(changes: readonly Change[]): Promise<void>
  /** Queries inside the transaction. */
  readonly db: Db
}

/** What became of one decision: its result, or what it threw; then it has changed nothing. */
export type DecisionResult = { readonly result: unknown } | { readonly error: unknown }

export type Decided = {
  readonly outcomes: readonly DecisionResult[]
  /** The events that were appended to the log, by position. */
  readonly appended: readonly PaymentEvent[]
}

/** Of a chain of lookups, each of which needs what the one before has found. */
const MOST_LOADS = 12

/**
 * Makes decisions in their order, each on the rows as those before it have left them, and stores what they have changed.
 * Rows are loaded for all of them together. One that throws has changed nothing, and does not concern the others.
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

/** Makes decisions up to the first for which rows are missing; those behind it are run for what they ask for, and undone. */
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

/** Null where rows are missing. */
function attempt(decision: DecisionOnRows<unknown>, rows: Rows): DecisionResult | null {
  try {
    return { result: decision(rows) }
  } catch (error) {
    return error === NOT_LOADED ? null : { error }
  }
}
