import type { Command } from '../../domain/command.ts'
import type { GatewayPaymentFacts } from '../../domain/gateway/gateway-payment.ts'
import { callbackAuthorization, type CallbackKind } from '../../keys/derived-secrets.ts'
import type { KeyRing } from '../../keys/key-ring.ts'
import type { CommandFailure } from '../../lookups/operation-outcome.ts'
import type { CommandSubject, RefKind } from '../../store/port.ts'
import { searchPages, type SearchProgress, type SearchSpan } from '../../upstream/endpoints/agreement-endpoints.ts'
import { UpstreamFault } from '../../upstream/upstream-fault.ts'
import type { Notification } from '../../upstream/wire/values/wire-fields.ts'

/** A command: how it is sent, recorded, searched for and repeated. */
export type Task<Answer, Result> = {
  readonly mutation: string
  /** The caller's idempotency key. */
  readonly key: string
  readonly input: unknown
  /** Site whose credentials are used; named in errors. */
  readonly site: string
  /** The payment or agreement that the command changes and returns. */
  readonly subject?: CommandSubject
  /** The kind of object that the attempt's correlation id identifies in webhook URLs; null if the call has no webhook. */
  readonly refKind: RefKind | null
  /** What is recorded with the attempt, so that it is known also if no answer comes. */
  readonly requested?: GatewayPaymentFacts
  readonly ownerId?: string | null | undefined
  /** Calls the payments API once. Rejects with an `UpstreamFault`. */
  readonly send: (ref: string) => Promise<Answer>
  /** Records the answer and ends the command in one transaction. */
  readonly settle: (command: Command, answer: Answer) => Promise<Result>
  /** Returns the result of the completed command again. */
  readonly replay: (command: Command) => Promise<Result | null>
  /** Searches for the outcome of an attempt without an answer; null if nothing is found. */
  readonly findOutcome: (command: Command) => Promise<Answer | null>
  /** Milliseconds after which an attempt whose search found nothing may be repeated; null for never. */
  readonly repeatAfterMs: number | null
  /** Returns whether the recorded facts about earlier attempts allow another. Default: they do. */
  readonly mayRepeat?: (command: Command) => Promise<boolean>
  /**
   * Whether the payments API itself keeps the key unique. Then the refusal of a repeated attempt may mean that an earlier one
   * succeeded, so the outcome is searched for before the refusal is returned.
   */
  readonly uniqueUpstream?: boolean
}

export type Done<Result> = { readonly kind: 'done'; readonly result: Result; readonly replayed: boolean }

export type CommandOutcome<Result> = Done<Result> | CommandFailure

const MINUTE_MS = 60_000
/** Upper limit of the clock difference to the payments API plus the longest call. */
const MARGIN_MS = 10 * MINUTE_MS
/** The interval around the attempt that is searched first: it suffices if both clocks are right. */
const NEAR_MS = { before: MINUTE_MS, after: 2 * MINUTE_MS }

/** An entry of a list, with the webhook URL that was given when it was made. */
type Addressed = { readonly endpointUrl: string | null }

type ListedPage<Entry> = { readonly entries: readonly Entry[]; readonly totalPages: number | null }

export type AddressSearch = { readonly from: Date; readonly to: Date; readonly page: number }

/** Progress of unfinished searches, by webhook URL. */
export type AddressSearches = Map<string, SearchProgress>

/** Reads entries by themselves whose webhook URL the list omits. */
export type EntryReads<Entry> = {
  /** Returns the entries that the attempt may have made, of those without a webhook URL. */
  readonly candidates: (entries: readonly Entry[]) => Promise<readonly Entry[]>
  /** Rejects with an `UpstreamFault`. */
  readonly read: (entry: Entry) => Promise<Entry>
}

/** Limit of the entries that one search reads by themselves. */
const MOST_ENTRY_READS = 20

/** Maximum number of searches whose progress is kept. */
const MOST_SEARCHES = 1_000

type Attempt = {
  readonly address: string
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  readonly now: number
  readonly searches: AddressSearches
}

/**
 * Finds what an attempt made, by its webhook URL, among the entries that the payments API created around that time. Returns null
 * if there is no such entry. Rejects with an `UpstreamFault` if the payments API does not answer, and with an
 * `IncompleteSearchError` if there are too many entries: the next search continues where this one ended.
 */
export async function findByAddress<Entry extends Addressed>(
  { address, sentAt, now, searches }: Attempt,
  list: (search: AddressSearch) => Promise<ListedPage<Entry>>,
  reads: EntryReads<Entry> | null = null,
): Promise<Entry | null> {
  const progress = searches.get(address) ?? { span: 0, page: 1 }
  if (searches.size >= MOST_SEARCHES) searches.clear()
  // Progress is kept only after the call must have ended: before that, new entries may still appear in pages already searched.
  if (now > sentAt + NEAR_MS.after) searches.set(address, progress)
  let readsLeft = MOST_ENTRY_READS
  const found = await searchPages({
    spans: spansAround(sentAt),
    list: async (search) => {
      const { entries, totalPages } = await list(search)
      const completed = await readUnnamed(entries, reads, readsLeft)
      readsLeft -= completed.size
      return {
        entries: entries.map((entry) => completed.get(entry) ?? entry),
        hasMore: totalPages === null ? null : search.page < totalPages,
      }
    },
    matches: ({ endpointUrl }) => endpointUrl === address,
    progress,
  })
  // The whole interval was searched: a later search starts from the beginning, to find entries that appeared since.
  searches.delete(address)
  return found
}

/** Reads the entries without a webhook URL that the attempt may have made, `most` of them. Returns them by the entry of the list. */
async function readUnnamed<Entry extends Addressed>(
  entries: readonly Entry[],
  reads: EntryReads<Entry> | null,
  most: number,
): Promise<ReadonlyMap<Entry, Entry>> {
  const unnamed = entries.filter(({ endpointUrl }) => endpointUrl === null)
  const completed = new Map<Entry, Entry>()
  if (reads === null || unnamed.length === 0) return completed
  for (const candidate of (await reads.candidates(unnamed)).slice(0, most))
    completed.set(candidate, await readOrSame(candidate, reads))
  return completed
}

/** An entry that the payments API refuses to read by itself stays as the list has it. */
async function readOrSame<Entry>(entry: Entry, reads: EntryReads<Entry>): Promise<Entry> {
  try {
    return await reads.read(entry)
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind === 'refused') return entry
    throw error
  }
}

/** Returns the intervals around an attempt in which the payments API may have recorded what it made, the most likely first. */
export function spansAround(sentAt: number): SearchSpan[] {
  const span = (from: number, to: number) => ({ from: new Date(sentAt + from), to: new Date(sentAt + to) })
  return [span(-NEAR_MS.before, NEAR_MS.after), span(NEAR_MS.after, MARGIN_MS), span(-MARGIN_MS, -NEAR_MS.before)]
}

export type CallbackOptions = {
  readonly keys: KeyRing
  /** Public base URL at which the payments API reaches us, without a trailing slash. */
  readonly publicUrl: () => string
}

/** What a search by webhook URL needs. */
export type TraceOptions = CallbackOptions & { readonly searches: AddressSearches }

/**
 * Returns the webhook URL and secret of one attempt of a command. The last segment of the URL is the attempt's correlation id,
 * which is made before the call, and the secret is derived from it: a webhook finds its command even if the call gets no answer.
 */
export function callbackAddress({ keys, publicUrl }: CallbackOptions, kind: CallbackKind, ref: string): Notification {
  return {
    endpointUrl: callbackUrl(publicUrl(), kind, ref),
    authorizationHeader: callbackAuthorization(keys, kind, ref),
  }
}

/** Returns the webhook URL alone, by which our objects are found in lists of the payments API. */
export function callbackUrl(publicUrl: string, kind: CallbackKind, ref: string): string {
  return `${publicUrl}/webhooks/${kind}s/${ref}`
}
