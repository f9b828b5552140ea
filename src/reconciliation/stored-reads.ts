import type { DueReadsQuery, Lease } from '../store/store.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import { notSent } from '../upstream/client/upstream-fault.ts'
import type { ReadSource } from './due-reader.ts'
import { siteName, siteNames } from './read-sites.ts'

type Subject = { readonly dueAt: Date | null; readonly failures: number }

type StoredReadsOptions<Of extends Subject> = {
  readonly reads: {
    sites(): Promise<string[]>
    due(query: DueReadsQuery): Promise<Of[]>
    nextDue(): Promise<Date | null>
    postpone(subject: Of, until: Date | null, lease?: Lease | null): Promise<void>
  }
  readonly sites: Sites
  /** Returns the site of one of `reads.sites()`; null if it has no credentials. */
  readonly siteToRead: (readSite: string) => Site | null
  readonly siteOf: (subject: Of) => Site | null
}

type StoredReads<Of> = Pick<
  ReadSource<Of>,
  'sites' | 'due' | 'nextDue' | 'postpone' | 'failures' | 'dueAt' | 'site'
> & {
  /** Returns the site of a subject. Throws an `UpstreamFault` if it has no credentials. */
  readonly requireSite: (subject: Of) => Site
}

/** Creates the part of a read source that is the same for all subjects: their planned reads, as they are stored. */
export function storedReads<Of extends Subject>(options: StoredReadsOptions<Of>): StoredReads<Of> {
  const { reads, sites, siteToRead, siteOf } = options
  /** Concurrent queries share one result. */
  let looking: Promise<string[]> | null = null
  const readSitesNow = () => (looking ??= reads.sites().finally(() => (looking = null)))
  return {
    sites: siteNames(sites),
    due: async ({ site, readClass }, by, limit) => {
      const readSites = (await readSitesNow()).filter((id) => siteName(siteToRead(id)) === site)
      return reads.due({ readSites, readClass, by, limit })
    },
    nextDue: reads.nextDue,
    postpone: reads.postpone,
    failures: ({ failures }) => failures,
    dueAt: ({ dueAt }) => dueAt,
    site: (subject) => siteName(siteOf(subject)),
    requireSite(subject) {
      const site = siteOf(subject)
      if (site === null) throw notSent('invalid-request', 'No credentials are configured for it.')
      return site
    },
  }
}
