import type { ReplayRefusal } from '../domain/delivery.ts'
import type { Money } from '../domain/money/money.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import { unknownOutcome, UpstreamFault, type FaultDetail } from '../upstream/upstream-fault.ts'

/** A problem with one field of the input. */
export type PaymentsFieldProblem = { readonly path: readonly string[]; readonly message: string }

/** Invalid fields, which the caller should correct; nothing was sent. */
export type InvalidInput = { readonly kind: 'invalid-input'; readonly problems: readonly PaymentsFieldProblem[] }

/** The amount or method is not possible, and the caller should choose another; nothing was sent. */
type MethodFailure =
  | { readonly kind: 'amount-out-of-range'; readonly min: Money | null; readonly max: Money | null }
  | { readonly kind: 'method-unavailable'; readonly availableCodes: readonly string[] }

/** The input has to be changed; nothing was sent. */
export type InputFailure = InvalidInput | MethodFailure

/** A conflict on the idempotency key: use another key, wait for the first use of this one, or retry with it. */
type RepeatFailure =
  | { readonly kind: 'idempotency-conflict'; readonly inProgress: boolean }
  | { readonly kind: 'outcome-unknown'; readonly operationId: string }

/** The payments API refused the request; code and messages are its own. */
export type Rejection = {
  readonly kind: 'upstream-rejected'
  readonly httpStatus: number
  readonly upstreamCode: string | null
  readonly problems: readonly PaymentsFieldProblem[]
}

/** The payments API did nothing: retry later, or have an operator check the credentials. */
type NothingDone =
  | { readonly kind: 'upstream-unavailable'; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'credentials-rejected'; readonly site: string }

/** The expected failures of a command that runs at most once. */
export type CommandFailure = RepeatFailure | Rejection | NothingDone

/** The expected failures of a read. */
export type ReadFailure = { readonly kind: 'not-found' } | Rejection | NothingDone

/** The state of the object does not allow the command; nothing was sent. */
export type StateFailure =
  | { readonly kind: 'not-found' }
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }

/** The expected failures of a refund before it is sent. */
export type RefundFailure =
  | InvalidInput
  | StateFailure
  /** The method does not allow it. */
  | { readonly kind: 'not-supported' }

/** The operation exists in the sandbox only; nothing was sent. */
export type SandboxFailure = { readonly kind: 'sandbox-only' }

/** The QR payload is not well-formed; nothing was sent. `position` is the offset of the first error. */
export type QrFailure = { readonly kind: 'invalid-qr'; readonly position: number; readonly message: string }

/** The delivery cannot be processed again; nothing was changed. */
export type ReplayFailure =
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-replayable'; readonly reason: ReplayRefusal }

/** Every expected failure, grouped by what the caller should do next. */
export type OperationFailure =
  | InputFailure
  | CommandFailure
  | ReadFailure
  | StateFailure
  | RefundFailure
  | SandboxFailure
  | QrFailure
  | ReplayFailure

/**
 * Returns why no site can serve a request: its currency has no credentials, or the named site does not exist or does not serve
 * it.
 */
export function siteProblem(
  sites: Sites,
  { amount, site }: { readonly amount: { readonly currency: string }; readonly site?: string | null | undefined },
  path: readonly string[] = ['amount', 'currency'],
): PaymentsFieldProblem {
  if (site == null) return { path, message: `no credentials for ${amount.currency} are configured` }
  return sites.byId(site) === null
    ? { path: ['site'], message: 'there is no such site' }
    : { path: ['site'], message: `this site does not serve ${amount.currency}` }
}

/** Returns the site that an id or a currency names; null if none does, or if the named one does not serve the currency. */
export function namedSite(
  sites: Pick<Sites, 'byId' | 'forCurrency'>,
  { currency, site }: { readonly currency: string | null; readonly site: string | null },
): Site | null {
  if (currency !== null) return sites.forCurrency(currency, site)
  return site === null ? null : sites.byId(site)
}

type Refusal = Extract<FaultDetail, { kind: 'refused' | 'forbidden' }>

/** Returns the fault of an `UpstreamFault`; null for any other error, which is a bug of ours. */
export function faultOf(error: unknown): FaultDetail | null {
  return error instanceof UpstreamFault ? error.detail : null
}

/** Rethrows the error of a read after an accepted command: a fault must not be reported as "nothing was done". */
export function asUnknown(error: unknown): never {
  throw faultOf(error) === null ? error : unknownOutcome('not-read-back')
}

/** Maps the fault of a read to a failure: not found, refused, or unavailable. */
export function readFailure(fault: FaultDetail, site: string): ReadFailure {
  if (fault.kind !== 'refused') return nothingDone(fault, site)
  return fault.httpStatus === 404 ? { kind: 'not-found' } : rejection(fault)
}

/** Maps a fault after which it is certain that the payments API did nothing, and after which the same request may succeed. */
export function nothingDone(fault: Exclude<FaultDetail, { kind: 'refused' }>, site: string): NothingDone | Rejection {
  if (fault.kind === 'forbidden') return rejection(fault)
  if (fault.kind === 'credentials') return { kind: 'credentials-rejected', site: fault.site ?? site }
  return {
    kind: 'upstream-unavailable',
    retryAfterSeconds: 'retryAfterSeconds' in fault ? fault.retryAfterSeconds : null,
  }
}

/** Maps a refusal, keeping the messages and field names of the payments API. */
export function rejection(fault: Refusal): Rejection {
  const { httpStatus, code, message } = fault
  const fields: PaymentsFieldProblem[] = fault.fields.map((field) => ({ path: [field.path], message: field.message }))
  const problems = fields.length > 0 || message === null ? fields : [{ path: [], message }]
  return { kind: 'upstream-rejected', httpStatus, upstreamCode: code, problems }
}

/** The answer of one site. */
export type Answered<Answer> = { readonly site: Site; readonly answer: Answer }

/** Returns the first site that serves a currency, or all sites if none is named. */
export function sitesAsked(sites: Sites, currency: string | null): readonly Site[] {
  return currency === null ? sites.all : [sites.forCurrency(currency)].filter((site) => site !== null)
}

/** Asks every site. If any of them does not answer, returns its failure: a list with a gap would look complete. */
export async function fromAllSites<Answer>(
  sites: readonly Site[],
  ask: (site: Site) => Promise<Answer>,
): Promise<Answered<Answer>[] | ReadFailure> {
  const answers = await Promise.all(sites.map((site) => attempt(site, () => ask(site))))
  return answers.find((answer) => 'kind' in answer) ?? answers.flatMap((answer) => ('kind' in answer ? [] : answer))
}

async function attempt<Answer>(site: Site, ask: () => Promise<Answer>): Promise<Answered<Answer> | ReadFailure> {
  try {
    return { site, answer: await ask() }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return readFailure(fault, site.id)
  }
}
