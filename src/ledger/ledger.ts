import {
  FULL_PACE,
  MOST_AHEAD_MS,
  type ReadPace,
  type ReadSlot,
  slower,
  type SlotRequest,
  takeSlot,
} from '../domain/reads/read-pace.ts'
import type { Lease, LeaseName } from '../store/lease-store.ts'
import type { Database } from '../store/port.ts'
import type { Rows } from '../store/rows/rows.ts'
import { isOutage, LeaseLostError } from '../store/store-errors.ts'
import type { Store, SweepStep } from '../store/store.ts'
import { beginCommand, forgetCommand, markUnknown, rejectCommand, retryCommand } from './command-records.ts'
import { recordFoundPayment } from './imports/import-subjects.ts'
import { entryDecisions, giveUpPart, leavePage, recordAbsent, setAside } from './imports/record-import.ts'
import {
  keepCallback,
  receiveAgreement,
  receiveGatewayPayment,
  receivePayment,
  receivePayout,
  DryRun,
  replayDelivery,
} from './receive.ts'
import {
  postponeAgreementRead,
  recordAgreementRead,
  postponePaymentRead,
  recordPaymentRead,
  schedulePaymentRead,
  postponePayoutRead,
  recordPayoutRead,
} from './record-read.ts'
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
import { expectSeveral } from './subjects/payment-subject.ts'
import { wantLogHead, type Ledger } from './subjects/subject.ts'
import { beginSweep, BETWEEN_LINKS_MS, endSweep, metaOf, sweepPage } from './sweep.ts'

export type LedgerOptions = {
  /** Whether payments of one order are compared. Default: true. */
  readonly findsDuplicates?: boolean
  /** Encrypts card tokens, which are then stored. Default: none is. */
  readonly sealCardToken?: ((token: string) => string) | null
}

/** Runs a decision, under a lease if there is one: then it rejects with `LeaseLostError` once the lease has changed hands. */
type Decide = <Result>(decision: (rows: Rows) => Result, lease?: Lease | null) => Promise<Result>

/**
 * Creates the ledger of a database. It decides what each fact means (a webhook, the response to a read or to a command) and records the
 * result as events, states and due reads. Concurrent facts are decided one after the other in memory, and stored together.
 */
export function createLedger(database: Database, options: LedgerOptions = {}): Store {
  const { findsDuplicates = true, sealCardToken = null } = options
  const settings = { findsDuplicates, sealCardToken }
  const decide: Decide = (decision, lease = null) =>
    database.decide((rows) => underLease(rows, lease, () => decision(rows)))
  const onLedger = <Result>(decision: (ledger: Ledger) => Result, lease?: Lease | null) =>
    decide((rows) => {
      wantLogHead(rows)
      return decision({ rows, settings })
    }, lease)
  return {
    ...database,
    inbox: {
      ...database.inbox,
      receive: (delivery) => onLedger(receivePayment(delivery)),
      receiveAgreement: (callback) => onLedger(receiveAgreement(callback)),
      receivePayout: (callback) => onLedger(receivePayout(callback)),
      receiveGatewayPayment: (callback) => onLedger(receiveGatewayPayment(callback)),
      keep: (callback) => decide(keepCallback(callback)),
      replay: (replay) => onLedger((ledger) => replayDelivery(ledger, replay)).catch(outcomeOfDryRun),
    },
    commands: {
      ...database.commands,
      begin: (command) => decide((rows) => beginCommand(rows, command)),
      retry: (id, attempt, from) => decide((rows) => retryCommand(rows, id, attempt, from)),
      forget: (id) => decide((rows) => forgetCommand(rows, id)),
      reject: (id, refusal) => decide((rows) => rejectCommand(rows, id, refusal)),
      markUnknown: (id) => decide((rows) => markUnknown(rows, id)),
      settle: (id, result) => decide((rows) => settle(rows, id, result)),
      expectSeveral: (order, at) => decide((rows) => expectSeveral(rows, order, at)),
      dismissDuplicate: (paymentId, at) => onLedger((ledger) => dismissDuplicate(ledger, paymentId, at)),
      settleWithPayout: (id, { ref, site }, report, at) =>
        onLedger((ledger) => settleWithPayout(ledger, id, { ref, site, report, at })),
      settleWithPayoutCancellation: (id, payoutId, report, at) =>
        onLedger((ledger) => settleWithPayoutCancellation(ledger, id, { payoutId, report, at })),
      settleWithGatewayPayment: (id, made, at) =>
        onLedger((ledger) => settleWithGatewayPayment(ledger, id, { ...made, at })),
      settleGatewayCreation: (id, paymentId, at) =>
        decide((rows) => settleGatewayCreation(rows, id, { paymentId, at })),
      settleWithLink: (id, link, at) => onLedger((ledger) => settleWithLink(ledger, id, { link, at })),
      settleWithPayin: (id, payin, report, at) =>
        onLedger((ledger) => settleWithPayin(ledger, id, { payin, report, at })),
      settleWithPayment: (id, about, report, at) =>
        onLedger((ledger) => settleWithPayment(ledger, id, { ...about, report, at })),
      settleWithAgreement: (id, { ref, site }, report, at) =>
        onLedger((ledger) => settleWithAgreement(ledger, id, { ref, site, report, at })),
      settleWithAgreementChange: (id, agreementId, report, at) =>
        onLedger((ledger) => settleWithAgreementChange(ledger, id, { agreementId, report, at })),
    },
    reads: {
      ...database.reads,
      record: (subject, report, at, lease) =>
        onLedger((ledger) => recordPaymentRead(ledger, subject, { report, at }), lease),
      postpone: (subject, until, lease) => onLedger((ledger) => postponePaymentRead(ledger, subject, until), lease),
      schedule: (id, next) => onLedger((ledger) => schedulePaymentRead(ledger, id, next)),
    },
    agreementReads: {
      ...database.agreementReads,
      record: (subject, report, at, lease) =>
        onLedger((ledger) => recordAgreementRead(ledger, subject, { report, at }), lease),
      postpone: (subject, until, lease) => onLedger((ledger) => postponeAgreementRead(ledger, subject, until), lease),
    },
    payoutReads: {
      ...database.payoutReads,
      record: (subject, report, at, lease) =>
        onLedger((ledger) => recordPayoutRead(ledger, subject, { report, at }), lease),
      postpone: (subject, until, lease) => onLedger((ledger) => postponePayoutRead(ledger, subject, until), lease),
    },
    heartbeat: {
      ...database.heartbeat,
      beat: (now, lease) => decide((rows) => rows.meta.put({ ...metaOf(rows), heartbeatAt: now.getTime() }), lease),
    },
    sweep: {
      pending: database.sweep.pending,
      begin: (from, now, lease) => decide((rows) => beginSweep(rows, from, now), lease),
      step: (now, lease) => stepSweep(database.sweep, now.getTime(), (decision) => decide(decision, lease)),
    },
    imports: {
      ...database.imports,
      record: async (page, lease) => {
        const decided = entryDecisions(page).map(({ id, decide: entry }) =>
          onLedger(entry, lease).then(
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
      recordAbsent: (number, place, absent, lease) =>
        decide((rows) => recordAbsent(rows, { number, place, absent }), lease),
      giveUp: (number, place, problem, lease) => decide((rows) => giveUpPart(rows, { number, place, problem }), lease),
      recordFound: (found, at) => onLedger((ledger) => recordFoundPayment(ledger, found, at)),
    },
    leases: {
      ...database.leases,
      take: (name, owner, times) => decide((rows) => takeLease(rows, { name, owner, ...times })),
      release: (lease) => decide((rows) => releaseLease(rows, lease)),
    },
    paces: {
      take: (site, request, lease) =>
        decide((rows) => takeSiteSlot(rows, site, { ...request, isPersonal: lease === null }), lease),
      throttle: (site, throttled) =>
        decide((rows) => rows.readPaces.put({ site, ...slower(paceOf(rows, site), throttled) })),
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
async function stepSweep(sweep: Database['sweep'], now: number, decide: Decide): Promise<SweepStep> {
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

type Taking = { readonly name: LeaseName; readonly owner: string; readonly now: Date; readonly until: Date }

/** The owner of a lease that was released. */
const NOBODY = ''

/**
 * Acquires or renews a lease. Returns null if another owner holds it. The fencing number rises if the lease changes hands. A lease that ends
 * later than any can was taken by a clock that has been set back since, as that of a failed server: nobody waits for its end.
 */
function takeLease(rows: Rows, { name, owner, now, until }: Taking): Lease | null {
  const row = rows.leases.first('name', name)
  const latest = until.getTime() + MOST_AHEAD_MS
  if (row !== null && row.owner !== owner && row.until > now.getTime() && row.until <= latest) return null
  const fence = (row?.fence ?? 0) + (row?.owner === owner ? 0 : 1)
  rows.leases.put({ name, owner, until: until.getTime(), fence })
  return { name, owner, fence }
}

/** Releases a lease; does nothing if another owner holds it. The row stays, since it has the fencing number. */
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

function paceOf(rows: Rows, site: string): ReadPace {
  return rows.readPaces.first('site', site) ?? FULL_PACE
}
