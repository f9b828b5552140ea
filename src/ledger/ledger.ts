import {
  FULL_PACE,
  MOST_AHEAD_MS,
  type ReadPace,
  type ReadSlot,
  slower,
  type SlotRequest,
  takeSlot,
  type ThrottledRead,
} from '../domain/reads/read-pace.ts'
import type { Lease, LeaseName } from '../store/port.ts'
import type { Database, DeliveryReplay, ImportedPage } from '../store/port.ts'
import type { Rows } from '../store/rows/rows.ts'
import { isOutage, LeaseLostError } from '../store/store-errors.ts'
import { beginCommand, forgetCommand, markUnknown, rejectCommand, retryCommand } from './command-records.ts'
import { recordFoundPayment } from './imports/import-subjects.ts'
import { cancelImport, entryDecisions, giveUpPart, leavePage, recordAbsent, setAside } from './imports/record-import.ts'
import { DryRun, keepCallback, receiveCallback, receivePayment, replayDelivery } from './receive.ts'
import {
  postponeAgreementRead,
  recordAgreementRead,
  postponePaymentRead,
  recordPaymentRead,
  schedulePaymentRead,
  postponePayoutRead,
  recordPayoutRead,
} from './record-read.ts'
import { cancelReplay, leaveDeliveries, noteOutcome, replayNext } from './replays.ts'
import {
  settleGatewayCreation,
  settleWithGatewayPayment,
  settleWithLink,
  settleWithPayout,
  settleWithPayoutCancellation,
} from './settle-created.ts'
import {
  dismissDuplicate,
  settle,
  settleWithAgreement,
  settleWithAgreementChange,
  settleWithPayin,
  settleWithPayment,
} from './settle.ts'
import { AGREEMENT } from './subjects/agreement-subject.ts'
import { GATEWAY_PAYMENT } from './subjects/gateway-payment-subject.ts'
import { expectSeveral } from './subjects/payment-subject.ts'
import { PAYOUT } from './subjects/payout-subject.ts'
import { wantLogHead, type Ledger } from './subjects/subject.ts'
import { beat, beginSweep, BETWEEN_LINKS_MS, endSweep, sweepPage } from './sweep.ts'

export type LedgerOptions = {
  /** Whether payments of one order are compared. Default: true. */
  readonly findsDuplicates?: boolean
  /** Encrypts card tokens, which are then stored. Default: none is. */
  readonly sealCardToken?: ((token: string) => string) | null
}

/** Runs a decision, under a lease if there is one: then it rejects with `LeaseLostError` once the lease has changed hands. */
type Decide = <Result>(decision: (rows: Rows) => Result, lease?: Lease | null) => Promise<Result>

/**
 * Creates the ledger of a database: all that must survive the process. It decides what each fact means (a webhook, the response to a read or to
 * a command) and records the result as events, states and due reads. Concurrent facts are decided one after the other in memory, and stored
 * together: each operation is one decision, in a transaction of its own.
 */
export function createLedger(
  { decide: decideOnRows, ...database }: Database,
  { findsDuplicates = true, sealCardToken = null }: LedgerOptions = {},
) {
  const settings = { findsDuplicates, sealCardToken }
  const decide: Decide = (decision, lease = null) =>
    decideOnRows((rows) => underLease(rows, lease, () => decision(rows)))
  const decideOnLedger = <Result>(decision: (ledger: Ledger) => Result, lease: Lease | null = null) =>
    decide((rows) => {
      wantLogHead(rows)
      return decision({ rows, settings })
    }, lease)
  const onRows =
    <Asked extends readonly unknown[], Result>(decision: (rows: Rows, ...asked: Asked) => Result) =>
    (...asked: Asked) =>
      decide((rows) => decision(rows, ...asked))
  const onLedger =
    <Asked extends readonly unknown[], Result>(decision: (ledger: Ledger, ...asked: Asked) => Result) =>
    (...asked: Asked) =>
      decideOnLedger((ledger) => decision(ledger, ...asked))
  /** The last argument is the lease of a process that does what only one may do; null where none is needed, as for a user's refresh. */
  const leased =
    <Asked extends readonly unknown[], Result>(decision: (ledger: Ledger, ...asked: Asked) => Result) =>
    (...given: [...asked: Asked, lease: Lease | null]) =>
      decideOnLedger(
        (ledger) => decision(ledger, ...(given.slice(0, -1) as unknown as Asked)),
        given.at(-1) as Lease | null,
      )
  return {
    ...database,
    inbox: {
      ...database.inbox,
      receive: onLedger(receivePayment),
      receiveAgreement: onLedger(receiveCallback(AGREEMENT)),
      receivePayout: onLedger(receiveCallback(PAYOUT)),
      receiveGatewayPayment: onLedger(receiveCallback(GATEWAY_PAYMENT)),
      keep: onRows(keepCallback),
      replay: (replay: DeliveryReplay) =>
        decideOnLedger((ledger) => replayDelivery(ledger, replay)).catch(outcomeOfDryRun),
    },
    commands: {
      ...database.commands,
      begin: onRows(beginCommand),
      retry: onRows(retryCommand),
      forget: onRows(forgetCommand),
      reject: onRows(rejectCommand),
      markUnknown: onRows(markUnknown),
      settle: onRows(settle),
      expectSeveral: onRows(expectSeveral),
      dismissDuplicate: onLedger(dismissDuplicate),
      settleWithPayout: onLedger(settleWithPayout),
      settleWithPayoutCancellation: onLedger(settleWithPayoutCancellation),
      settleWithGatewayPayment: onLedger(settleWithGatewayPayment),
      settleGatewayCreation: onRows(settleGatewayCreation),
      settleWithLink: onLedger(settleWithLink),
      settleWithPayin: onLedger(settleWithPayin),
      settleWithPayment: onLedger(settleWithPayment),
      settleWithAgreement: onLedger(settleWithAgreement),
      settleWithAgreementChange: onLedger(settleWithAgreementChange),
    },
    reads: {
      ...database.reads,
      record: leased(recordPaymentRead),
      postpone: leased(postponePaymentRead),
      schedule: onLedger(schedulePaymentRead),
    },
    agreementReads: {
      ...database.agreementReads,
      record: leased(recordAgreementRead),
      postpone: leased(postponeAgreementRead),
    },
    payoutReads: { ...database.payoutReads, record: leased(recordPayoutRead), postpone: leased(postponePayoutRead) },
    heartbeat: { ...database.heartbeat, beat: leased(beat) },
    sweep: {
      pending: database.sweep.pending,
      begin: leased(beginSweep),
      /** Brings a bounded number of reads forward. Called until it returns `done`. */
      step: (now: Date, lease: Lease | null) =>
        stepSweep(database.sweep, now.getTime(), (decision) => decide(decision, lease)),
    },
    imports: {
      ...database.imports,
      /**
       * Records each entry of a page, with a note of it, and then moves the import on. After a failure or the end of the process the page can be
       * recorded again: nothing is recorded or counted twice. Does nothing if the import is at another place by now. Rejects with
       * `LeaseLostError` without the lease, and with the error of the database if that is away. An entry that fails for any other reason is
       * counted as failed, and the import goes on without it. Returns those reasons.
       */
      async record(page: ImportedPage, lease: Lease): Promise<readonly unknown[]> {
        const decided = entryDecisions(page).map(({ id, decide: entry }) =>
          decideOnLedger(entry, lease).then(
            (countedAs) => ({ id: countedAs }),
            (error: unknown) => ({ id, error }),
          ),
        )
        const entries = await Promise.all(decided)
        const failed = entries.filter((entry) => 'error' in entry)
        for (const { error } of failed) if (error instanceof LeaseLostError || isOutage(error)) throw error
        const ids = entries.map(({ id }) => id)
        await decide((rows) => {
          for (const { id } of failed) setAside(rows, page, id)
          leavePage(rows, page, ids)
        }, lease)
        return failed.map(({ error }) => error)
      },
      recordAbsent: leased(recordAbsent),
      giveUp: leased(giveUpPart),
      cancel: onRows(cancelImport),
      recordFound: onLedger(recordFoundPayment),
    },
    replays: {
      ...database.replays,
      replayNext: leased(replayNext),
      note: onRows(noteOutcome),
      leave: onRows(leaveDeliveries),
      cancel: onRows(cancelReplay),
    },
    leases: { ...database.leases, take: onRows(takeLease), release: onRows(releaseLease) },
    paces: {
      /** Takes the next slot of a site for one read. A planned read has a lease, a user's refresh none. */
      take: (site: string, request: Omit<SlotRequest, 'isPersonal'>, lease: Lease | null) =>
        decide((rows) => takeSiteSlot(rows, site, { ...request, isPersonal: lease === null }), lease),
      throttle: onRows(throttleSite),
    },
  }
}

function outcomeOfDryRun(error: unknown) {
  if (error instanceof DryRun) return error.outcome
  throw error
}

/** Links that expire within an hour are read then anyway; in milliseconds. */
const SOON_MS = 3_600_000

/** Queries the page first; plans nothing if another process has gone on meanwhile. */
async function stepSweep(sweep: Database['sweep'], now: number, decide: Decide) {
  const { from, links } = await sweep.state()
  if (from === null) return { planned: 0, done: true }
  const page = await sweep.page({ polls: now, links: now + SOON_MS + links * BETWEEN_LINKS_MS })
  if (page === null) {
    await decide(endSweep)
    return { planned: 0, done: true }
  }
  const isPlanned = await decide((rows) => sweepPage(rows, { links, page, now }))
  return { planned: isPlanned ? page.ids.length : 0, done: false }
}

/** The owner of a lease that was released. */
const NOBODY = ''

/**
 * Acquires or renews a lease until an instant. Both instants are of the database's clock (`Database.now`), which all processes share. Returns
 * null if another owner holds it. The lease of another owner is taken over once it has expired by `now`; then the fencing number rises. A lease
 * that ends later than any can was taken by a clock that has been set back since, as that of a failed server: nobody waits for its end.
 */
function takeLease(
  rows: Rows,
  name: LeaseName,
  owner: string,
  { now, until }: { readonly now: Date; readonly until: Date },
): Lease | null {
  const row = rows.leases.first('name', name)
  const latest = until.getTime() + MOST_AHEAD_MS
  if (row !== null && row.owner !== owner && row.until > now.getTime() && row.until <= latest) return null
  const fence = (row?.fence ?? 0) + (row?.owner === owner ? 0 : 1)
  rows.leases.put({ name, owner, until: until.getTime(), fence })
  return { name, owner, fence }
}

/** Releases a lease before it expires; does nothing if another owner holds it. The row stays, since it has the fencing number. */
function releaseLease(rows: Rows, lease: Lease): void {
  const row = rows.leases.first('name', lease.name)
  if (row !== null && isHolder(row, lease)) rows.leases.put({ ...row, owner: NOBODY, until: 0 })
}

/**
 * Runs a decision under a lease; null for one that needs none. Throws a `LeaseLostError`, which undoes the decision, if the lease has
 * changed hands. An expired lease is valid until another process takes it. The owner is compared too, because a version of this program
 * without fencing numbers takes a lease over without raising the number.
 */
function underLease<Result>(rows: Rows, lease: Lease | null, decision: () => Result): Result {
  if (lease === null) return decision()
  // Loaded together with the rows of the decision.
  rows.leases.want('name', lease.name)
  const result = decision()
  const row = rows.leases.first('name', lease.name)
  if (row === null || !isHolder(row, lease)) throw new LeaseLostError()
  return result
}

function isHolder(row: { readonly owner: string; readonly fence: number }, lease: Lease): boolean {
  return row.owner === lease.owner && row.fence === lease.fence
}

function takeSiteSlot(rows: Rows, site: string, request: SlotRequest): ReadSlot {
  const { pace, slot } = takeSlot(paceOf(rows, site), request)
  rows.readPaces.put({ site, ...pace })
  return slot
}

/** Records that the payments API has throttled a read, and for how long it asked for a pause: all processes slow down. */
function throttleSite(rows: Rows, site: string, throttled: ThrottledRead): void {
  rows.readPaces.put({ site, ...slower(paceOf(rows, site), throttled) })
}

function paceOf(rows: Rows, site: string): ReadPace {
  return rows.readPaces.first('site', site) ?? FULL_PACE
}
