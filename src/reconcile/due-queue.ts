import type { Timer } from './timer.ts'

/** What is due, site by site. */
export type DueQueue<Subject> = {
  /** The next subject of a site that was due when it was looked for; null when none is. One caller at a time for a site. */
  next(site: string): Promise<Subject | null>
  /** The subject as it is now; null when it is not due any more, or not wanted. */
  stillDue(subject: Subject): Promise<Subject | null>
  /** Something may have fallen due: of one site, or of any. */
  touch(site?: string): void
  /** Whether `next` would look for more of a site. */
  isOpen(site: string): boolean
  close(): void
}

/** What the queue needs to know of its subjects. */
export type DueSource<Subject> = {
  /** Every site that a subject may belong to. */
  readonly sites: readonly string[]
  /** Subjects whose read is due, longest due first, at most `limit`: the first ones, or those that come behind `after`. */
  due(now: Date, limit: number, after: Subject | null): Promise<readonly Subject[]>
  /** The subject as it is now; null when it is gone. */
  again(subject: Subject): Promise<Subject | null>
  site(subject: Subject): string
  dueAt(subject: Subject): Date | null
}

export type DueQueueOptions<Subject> = {
  readonly source: DueSource<Subject>
  readonly clock: () => Date
  readonly timer: Timer
  /** False for what is being read already. */
  readonly isWanted: (subject: Subject) => boolean
}

const PAGE = 100
/** Subjects of one site that are kept in hand: ten seconds' work, so that they do not grow old here. */
const IN_HAND = 20
/**
 * A site of which nothing was found behind the long line of another is looked for again only after this many times what
 * the look took: it costs two per cent of the time, however long the line.
 */
const REST_FACTOR = 50

/**
 * Sorts what is due into one short queue for each site. The store knows one line for all; a walk along it goes past what
 * belongs to sites that have enough in hand, so that a site which may not be read holds up nobody.
 */
export function createDueQueue<Subject>(options: DueQueueOptions<Subject>): DueQueue<Subject> {
  const { source, clock, timer, isWanted } = options
  const inHand = new Map<string, Subject[]>(source.sites.map((site) => [site, []]))
  /** Sites of which something may be due that is not in hand. */
  const open = new Set(source.sites)
  const looking = new Set<string>()
  const restUntil = new Map<string, number>()
  const endOfRests = new Set<() => void>()
  let walking: Promise<void> | null = null
  let closed = false

  const handOf = (site: string) => inHand.get(site) ?? []

  const walk = async () => {
    const begun = timer.now()
    const asked = new Set(open)
    open.clear()
    for (const site of source.sites) inHand.set(site, [])
    let pages = 0
    let last: Subject | null = null
    for (;;) {
      const page: readonly Subject[] = await source.due(clock(), PAGE, last)
      last = page.at(-1) ?? null
      pages += 1
      for (const subject of page) takeInHand(subject)
      if (page.length < PAGE || closed) break
      if ([...looking].every((site) => handOf(site).length > 0)) {
        for (const site of asked) open.add(site)
        return
      }
      // A long line must not keep webhooks waiting.
      await new Promise(setImmediate)
    }
    if (pages === 1) return
    const restMs = (timer.now() - begun) * REST_FACTOR
    for (const site of asked) if (handOf(site).length === 0) restUntil.set(site, timer.now() + restMs)
  }

  const takeInHand = (subject: Subject) => {
    const site = source.site(subject)
    const hand = handOf(site)
    if (hand.length >= IN_HAND) open.add(site)
    else if (isWanted(subject)) hand.push(subject)
  }

  const rest = async (site: string) => {
    const restMs = (restUntil.get(site) ?? 0) - timer.now()
    if (restMs <= 0) return
    await new Promise<void>((resolve) => {
      const wakeUp = () => {
        endOfRests.delete(wakeUp)
        cancel()
        resolve()
      }
      const cancel = timer.after(restMs, wakeUp)
      endOfRests.add(wakeUp)
    })
  }

  const look = async (site: string) => {
    await rest(site)
    looking.add(site)
    try {
      await (walking ??= walk().finally(() => (walking = null)))
    } catch (error) {
      open.add(site)
      throw error
    } finally {
      looking.delete(site)
    }
  }

  const next = async (site: string): Promise<Subject | null> => {
    while (!closed) {
      const subject = handOf(site).shift()
      if (subject !== undefined) return subject
      if (!open.has(site)) return null
      await look(site)
    }
    return null
  }

  const stillDue = async (subject: Subject): Promise<Subject | null> => {
    const fresh = await source.again(subject)
    const dueAt = fresh === null ? null : source.dueAt(fresh)
    return fresh !== null && dueAt !== null && dueAt <= clock() && isWanted(fresh) ? fresh : null
  }

  return {
    next,
    stillDue,
    touch(site) {
      for (const touched of site === undefined ? source.sites : [site]) open.add(touched)
    },
    isOpen: (site) => open.has(site) || handOf(site).length > 0,
    close() {
      closed = true
      for (const wakeUp of endOfRests) wakeUp()
    },
  }
}
