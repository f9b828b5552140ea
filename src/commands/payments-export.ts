import { randomUUID } from 'node:crypto'
import { present, TEXT, textProblem } from '../domain/field-problems.ts'
import { openGrant, sealGrant } from '../keys/derived-secrets.ts'
import { fingerprint, type KeyRing } from '../keys/key-ring.ts'
import { type ExportQuery, exportPayments } from '../lookups/export-payments.ts'
import type { InvalidInput } from '../lookups/operation-outcome.ts'
import type { Logger } from '../observability/logger.ts'
import type { PaymentFilter, Store } from '../store/store.ts'

export type PaymentsExportOptions = {
  readonly store: Pick<Store, 'commands' | 'payments' | 'links'>
  readonly keys: KeyRing
  readonly publicUrl: () => string
  readonly logger: Logger
  readonly clock: () => Date
}

export type ExportRequest = ExportQuery & {
  /** When the caller's right to list payments ends, in milliseconds since the epoch. */
  readonly rightEndsAt: number
  /** The same for all tokens of one caller. */
  readonly callerKey: string
}

export type ExportOutcome = { readonly kind: 'done'; readonly url: string; readonly expiresAt: Date } | InvalidInput

/** Path at which files of payments are downloaded. */
export const EXPORT_PATH = '/payments-export'

/** How long a download may begin after it was asked for, in milliseconds. */
const EXPORT_MS = 2 * 60_000

/** What a file contains. It is in the URL of the download alone, sealed: the rights of the caller are decided, and stay what they were. */
type Grant = Omit<ExportQuery, 'filter'> & {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly callerKey: string
  /** Instants in milliseconds since the epoch. */
  readonly filter: Omit<PaymentFilter, 'updatedFrom' | 'updatedBefore'> & {
    readonly updatedFrom?: number
    readonly updatedBefore?: number
  }
}

/**
 * Returns the URL at which payments can be downloaded, once. The download has to begin within two minutes, and while the caller has the right.
 * Nothing is read or stored until then.
 */
export function requestPaymentsExport(
  { keys, publicUrl, clock }: Pick<PaymentsExportOptions, 'keys' | 'publicUrl' | 'clock'>,
  { filter, format, payers, rightEndsAt, callerKey }: ExportRequest,
): ExportOutcome {
  // The filter is part of a URL, which has to be short.
  const { reference } = filter
  const problems = present(reference === undefined ? [] : [textProblem(reference, TEXT, ['filter', 'reference'])])
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const expiresAt = Math.min(clock().getTime() + EXPORT_MS, rightEndsAt)
  const grant: Grant = { id: randomUUID(), expiresAt, callerKey, format, payers, filter: sealable(filter) }
  const url = `${publicUrl()}${EXPORT_PATH}?grant=${sealGrant(keys, 'export grant', grant)}`
  return { kind: 'done', url, expiresAt: new Date(expiresAt) }
}

function sealable({ updatedFrom, updatedBefore, phases, ...filter }: PaymentFilter): Grant['filter'] {
  return {
    ...filter,
    ...(phases === undefined ? {} : { phases: [...new Set(phases)] }),
    ...(updatedFrom === undefined ? {} : { updatedFrom: updatedFrom.getTime() }),
    ...(updatedBefore === undefined ? {} : { updatedBefore: updatedBefore.getTime() }),
  }
}

/** A download that may begin. */
export type OpenedExport = { readonly id: string; readonly callerKey: string; readonly query: ExportQuery }

/** Returns the download that a URL stands for, or why it may not begin. */
export function openPaymentsExport(
  { keys, clock }: Pick<PaymentsExportOptions, 'keys' | 'clock'>,
  text: string,
): OpenedExport | 'unknown' | 'expired' {
  const grant = openGrant(keys, 'export grant', text) as Grant | null
  if (grant === null) return 'unknown'
  if (grant.expiresAt <= clock().getTime()) return 'expired'
  const { id, callerKey, format, payers } = grant
  const { updatedFrom, updatedBefore, ...filter } = grant.filter
  return {
    id,
    callerKey,
    query: {
      format,
      payers,
      filter: {
        ...filter,
        ...(updatedFrom === undefined ? {} : { updatedFrom: new Date(updatedFrom) }),
        ...(updatedBefore === undefined ? {} : { updatedBefore: new Date(updatedBefore) }),
      },
    },
  }
}

/** The owner of the records of downloads: whoever has the URL. */
const DOWNLOADER = 'payments export'

/**
 * Begins a download: returns the parts of its file, or null if it was begun before, at any node. It is recorded like a command whose key is
 * the id of the download.
 */
export async function beginPaymentsExport(
  { store, keys, logger, clock }: PaymentsExportOptions,
  { id, query }: OpenedExport,
): Promise<AsyncIterable<string> | null> {
  const now = clock()
  const { command, fresh } = await store.commands.begin({
    id: randomUUID(),
    mutation: 'downloadPaymentsExport',
    key: id,
    keyScope: DOWNLOADER,
    fingerprint: fingerprint(keys, id),
    ref: id,
    refKind: null,
    site: '',
    owner: '',
    leaseUntil: now.getTime(),
    sentAt: now.getTime(),
  })
  if (!fresh) return null
  await store.commands.settle(command.id, {})
  logger.info({ commandId: command.id, kind: query.payers }, 'payments are exported')
  return exportPayments(store, query, now)
}
