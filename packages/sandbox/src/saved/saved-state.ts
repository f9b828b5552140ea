import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ExactNumber } from 'payments-subgraph-lib/exact-json'
import { makeFolder } from 'payments-subgraph-lib/make-folder'
import { resumeAgreement } from '../agreements/sandbox-agreement.ts'
import { resumeCheck, contactKey } from '../customers/sandbox-customer.ts'
import { resumePayin } from '../payins/payin-actions.ts'
import { planExpiry, planStep } from '../payments/link-actions.ts'
import { resumePayout } from '../payouts/payout-steps.ts'
import type { Agreement } from '../state/agreement.ts'
import type { SandboxContact, SandboxCustomer } from '../state/customer.ts'
import { isPayin, type Link } from '../state/link.ts'
import type { Payout } from '../state/payout.ts'
import type { Deposit } from '../state/sandbox-store.ts'
import type { Token } from '../state/sandbox-store.ts'
import type { ActiveFault, ApiCall, SandboxStore } from '../state/sandbox-store.ts'
import type { SavedWebhook } from '../state/webhook-sender.ts'

/** The form of the rows. Rows of another form are not read: the sandbox then starts empty. */
const FORM = 1

/** Calls that are kept over a restart. */
const MOST_CALLS = 1_000

/**
 * Milliseconds of the sandbox clock after a start, before which nothing that fell due in the meantime is done: its receivers
 * may start together with the sandbox.
 */
const GRACE_MS = 3_000

/** What is in no row of its own. `leadMs` is how far the sandbox clock is ahead of the system's. */
type Rest = {
  readonly form: number
  readonly leadMs: number
  readonly agreementsMade: number
  readonly faults: readonly ActiveFault[]
  readonly calls: readonly ApiCall[]
  readonly deposits: readonly Deposit[]
  readonly tokens: readonly (readonly [string, Token])[]
}

/** Anything with a planned step; only its time is saved. */
type Stepping = { readonly step: { readonly dueAt: Date } | undefined }

/** Returns the whole state as rows. */
function savedRows(store: SandboxStore): SavedRows {
  const rest: Rest = {
    form: FORM,
    leadMs: store.clock.now().getTime() - Date.now(),
    agreementsMade: store.agreementsMade,
    faults: store.faults.list(),
    calls: store.calls.slice(-MOST_CALLS),
    deposits: store.deposits,
    tokens: [...store.tokens],
  }
  return new Map([
    ['rest', encodeValue(rest)],
    ...[...store.links.values()].map((link) => [`link:${link.uuid}`, encodeStepping(link)] as const),
    ...[...store.agreements.values()].map((one) => [`agreement:${one.id}`, encodeStepping(one)] as const),
    ...[...store.payouts.values()].map((payout) => [`payout:${payout.uuid}`, encodeStepping(payout)] as const),
    ...[...store.customers.values()].map((one) => [`customer:${one.uuid}`, encodeValue(one)] as const),
    ...[...store.contacts].map(([key, contact]) => [`contact:${key}`, encodeStepping(contact)] as const),
    ...store.sender.saved().map((saved) => [`webhook:${saved.record.id}`, encodeValue(saved)] as const),
  ])
}

/** Puts saved rows into an empty store, and plans again what was planned. */
function restoreRows(store: SandboxStore, rows: SavedRows): void {
  const text = rows.get('rest')
  const rest = text === undefined ? null : (decodeValue(text) as Rest)
  if (rest?.form !== FORM) return
  store.clock.restart(new Date(Date.now() + rest.leadMs))
  const soonest = store.clock.now().getTime() + GRACE_MS
  const laterOf = (at: Date): Date => new Date(Math.max(at.getTime(), soonest))
  store.agreementsMade = rest.agreementsMade
  for (const { method, path, left, answer } of rest.faults)
    store.faults.add({
      ...(method === null ? {} : { method }),
      ...(path === null ? {} : { path }),
      times: left,
      answer,
    })
  store.calls.push(...rest.calls)
  store.deposits.push(...rest.deposits)
  for (const [token, facts] of rest.tokens) store.tokens.set(token, facts)
  for (const link of ofKind<Link>(rows, 'link')) {
    const dueAt = takeStep(link)
    store.links.set(link.uuid, link)
    planExpiry(store, link, laterOf(link.expiresAt))
    if (dueAt === undefined) continue
    if (isPayin(link)) resumePayin(store, link, laterOf(dueAt))
    else planStep(store, link, laterOf(dueAt))
  }
  for (const agreement of ofKind<Agreement>(rows, 'agreement')) {
    const dueAt = takeStep(agreement)
    store.agreements.set(agreement.id, agreement)
    if (dueAt !== undefined) resumeAgreement(store, agreement, laterOf(dueAt))
  }
  for (const payout of ofKind<Payout>(rows, 'payout')) {
    const dueAt = takeStep(payout)
    store.payouts.set(payout.uuid, payout)
    if (dueAt !== undefined) resumePayout(store, payout, laterOf(dueAt))
  }
  for (const customer of ofKind<SandboxCustomer>(rows, 'customer')) store.customers.set(customer.uuid, customer)
  for (const contact of ofKind<SandboxContact>(rows, 'contact')) {
    const dueAt = takeStep(contact)
    store.contacts.set(contactKey(contact.siteId, contact.email), contact)
    if (dueAt !== undefined) resumeCheck(store, contact, laterOf(dueAt))
  }
  store.sender.restore([...ofKind<SavedWebhook>(rows, 'webhook')], laterOf)
}

/** Empties the state and sets the clock to the system's. Numbers of agreements are not used again. */
export function emptyStore(store: SandboxStore): void {
  store.clock.restart(new Date())
  const { links, agreements, payouts, customers, contacts, tokens } = store
  for (const map of [links, agreements, payouts, customers, contacts, tokens]) map.clear()
  store.deposits.length = 0
  store.calls.length = 0
  store.faults.clear()
  store.sender.clear()
}

function encodeStepping(thing: Stepping): string {
  return encodeValue({ ...thing, step: thing.step?.dueAt })
}

/** Returns when the planned step of a decoded thing is due, and removes it. */
function takeStep(thing: { step: unknown }): Date | undefined {
  const dueAt = thing.step instanceof Date ? thing.step : undefined
  thing.step = undefined
  return dueAt
}

function* ofKind<Kind>(rows: SavedRows, kind: string): Generator<Kind> {
  for (const [name, value] of rows) if (name.startsWith(`${kind}:`)) yield decodeValue(value) as Kind
}

/** Keys of the objects that stand for values which JSON does not have. No key of a request begins with this character. */
const DATE = '\u0000date'
const BIGINT = '\u0000bigint'
const NUMBER = '\u0000number'

/** Returns a value of the sandbox's state as text: JSON, with dates, big integers and exact numbers as tagged objects. */
function encodeValue(value: unknown): string {
  return JSON.stringify(tagged(value))
}

/** Returns the value of a text that `encodeValue` made. */
function decodeValue(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    const { [DATE]: date, [BIGINT]: units, [NUMBER]: digits } = value as Readonly<Record<string, unknown>>
    if (typeof date === 'string') return new Date(date)
    if (typeof units === 'string') return BigInt(units)
    return typeof digits === 'string' ? new ExactNumber(digits) : value
  })
}

function tagged(value: unknown): unknown {
  if (typeof value === 'bigint') return { [BIGINT]: String(value) }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return { [DATE]: value.toISOString() }
  if (value instanceof ExactNumber) return { [NUMBER]: value.text }
  if (Array.isArray(value)) return value.map(tagged)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, tagged(inner)]))
}

/** The rows of a saved state: encoded values by their names, such as `link:D4H0OT5D`. */
type SavedRows = ReadonlyMap<string, string>

/** A SQLite file with the state of one sandbox. */
type StateFile = {
  /** Returns all rows, in the order in which they were first written. */
  read(): SavedRows
  /** Writes the rows that have changed since the last call, and removes those that are gone, in one transaction. */
  write(rows: SavedRows): void
  close(): void
}

/** Milliseconds to wait for another process that is writing. */
const BUSY_MS = 5_000

/** Opens the file, and creates it with its folder if it does not exist. Throws if it cannot be opened or is no database. */
function openStateFile(path: string): StateFile {
  // The state contains what payers entered: it is for its owner alone.
  makeFolder(dirname(path), 0o700)
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path, { timeout: BUSY_MS })
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(
    'CREATE TABLE IF NOT EXISTS state (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT NOT NULL)',
  )
  const put = database.prepare(
    'INSERT INTO state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const remove = database.prepare('DELETE FROM state WHERE name = ?')
  const select = database.prepare('SELECT name, value FROM state ORDER BY number')
  let written: SavedRows = new Map()
  return {
    read() {
      written = new Map(select.all().map(({ name, value }) => [String(name), String(value)]))
      return written
    },
    write(rows) {
      const changed = [...rows].filter(([name, value]) => written.get(name) !== value)
      const gone = [...written.keys()].filter((name) => !rows.has(name))
      if (changed.length + gone.length === 0) return
      database.exec('BEGIN IMMEDIATE')
      try {
        for (const [name, value] of changed) put.run(name, value)
        for (const name of gone) remove.run(name)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
      written = rows
    },
    close: () => database.close(),
  }
}

/** Milliseconds from a change to the write of it. */
const AFTER_CHANGE_MS = 200

/** A write waits for at least so many times the duration of the last one, so that a large state does not slow the sandbox. */
const SHARE = 20

/** Restores the state of a file, and keeps the file up to date. Returns the function that writes the last state and closes it. */
export function keepState(store: SandboxStore, path: string): () => void {
  const file = openStateFile(path)
  restoreRows(store, file.read())
  let timer: NodeJS.Timeout | undefined
  let lastMs = 0
  const write = (): void => {
    timer = undefined
    const started = performance.now()
    file.write(savedRows(store))
    lastMs = performance.now() - started
  }
  const stopListening = store.changes.listen(() => {
    timer ??= setTimeout(write, Math.max(AFTER_CHANGE_MS, lastMs * SHARE)).unref()
  })
  let isClosed = false
  return () => {
    if (isClosed) return
    isClosed = true
    stopListening()
    clearTimeout(timer)
    write()
    file.close()
  }
}
