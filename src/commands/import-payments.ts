import { importProblems, type ImportRequest, type PaymentImport } from '../domain/imports/payment-import.ts'
import type { InvalidInput } from '../lookups/operation-outcome.ts'
import { importParts } from '../reconciliation/imports/import-parts.ts'
import type { Store } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'

export type ImportOptions = {
  readonly store: { readonly imports: Pick<Store['imports'], 'begin'> }
  readonly sites: Sites
  readonly clock: () => Date
  /** Called when there is an import to work on. */
  readonly onImportBegun: () => void
}

export type ImportOutcome =
  | { readonly kind: 'done'; readonly import: PaymentImport; readonly replayed: boolean }
  | InvalidInput
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }

/**
 * Begins an import, which goes on in the background, up to now at most. Needs no idempotency key: a repeat finds the running import, and
 * what is on record is not recorded again.
 */
export async function importPayments(
  { store, sites, clock, onImportBegun }: ImportOptions,
  request: ImportRequest,
  requestedBy: string | null,
): Promise<ImportOutcome> {
  const now = clock()
  const problems = importProblems(request, { now, known: new Set(sites.all.map(({ id }) => id)) })
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const to = Math.min(request.to.getTime(), now.getTime())
  const plan = { from: request.from.getTime(), to, parts: importParts(sites, request.sites ?? []) }
  const begun = await store.imports.begin({
    plan,
    dryRun: request.dryRun,
    daily: false,
    requestedBy,
    requestedAt: now,
  })
  if (begun.kind === 'too-many') return { kind: 'state-conflict', statusRaw: 'RUNNING' }
  onImportBegun()
  return { kind: 'done', import: begun.import, replayed: begun.kind === 'running' }
}
