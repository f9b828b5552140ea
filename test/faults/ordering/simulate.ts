import { nextComparedDay, spanOfDay } from '../../../src/domain/imports/compared-days.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { systemTimer } from '../../../src/lib/timers.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { createReadBudget } from '../../../src/reconciliation/read-budget.ts'
import { createSingleFlightReader, type ReadResult } from '../../../src/reconciliation/single-flight-reader.ts'
import { createReadables } from '../../../src/reconciliation/subject-readers.ts'
import type { ReadSubject } from '../../../src/store/port.ts'
import { createSites } from '../../../src/upstream/client/sites.ts'
import { after, delivery, NOW, present, type report, settledLink } from '../../store/contract/builders.ts'
import { pollAt } from '../../support/due-reads.ts'
import type { Random } from '../random.ts'
import { isAway, type Life, lifeOf, linkOf, paymentOf, refOf, reported } from './life.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Truth, truthAt } from './truth.ts'

/** How webhooks are lost. */
export type Cell = {
  readonly payments: number
  /** Share of the attempts that never arrive, and of the arrivals whose answer is lost, so that they are sent again. */
  readonly lost: number
  /** Whether two equal partial refunds have the same bytes: bodies contain no totals. */
  readonly equalBodies?: boolean
  /** Whether each payment has an outage of the app of 10 to 120 minutes, in which it changes. */
  readonly outage?: boolean
}

/** Results over all payments, each three days after its last change, and after the next comparison of its day. */
export type Figures = {
  readonly statusWrong: number
  readonly refundedWrong: number
  /** Mean over all payments. */
  readonly readsPerPayment: number
}

/** Attempts of one webhook, in milliseconds after the event (docs/payments-api.md, section 6.1). */
const ATTEMPTS_AT = [0, 15, 30, 45].map((minutes) => minutes * MINUTE_MS)
/** Reads per second: the rate limit is not tested here. */
const NO_LIMIT = 1_000_000
const SITES = createSites([{ id: 'au', appId: 'app', secretKey: 'key', currencies: ['AUD'] }])
const JUDGED_AFTER_MS = 3 * DAY_MS
/** Webhooks of what changed so long before an outage may have their last attempts in it. */
const BEFORE_OUTAGE_MS = 45 * MINUTE_MS
const LINKS = { site: 'au', list: 'LINKS' } as const
const PAGE = 20

type Happening =
  | { readonly kind: 'attempt'; readonly life: Life; readonly truth: Truth; readonly number: number }
  | { readonly kind: 'birth' | 'return' | 'due' | 'judgement'; readonly life: Life }
  | { readonly kind: 'comparison' }
  | { readonly kind: 'answer'; readonly life: Life; readonly give: () => void }

type Queue = {
  add(at: number, happening: Happening): void
  take(): { readonly at: number; readonly happening: Happening } | undefined
}

/** Creates an empty queue, which gives the earliest entry first, and of equal instants the one that was added first. */
function createQueue(): Queue {
  const entries: { readonly at: number; readonly happening: Happening }[] = []
  return {
    add(at, happening) {
      let [low, high] = [0, entries.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((entries[middle]?.at ?? 0) > at) low = middle + 1
        else high = middle
      }
      entries.splice(low, 0, { at, happening })
    },
    take: () => entries.pop(),
  }
}

/**
 * Simulates many payments on a virtual clock. The store receives webhooks that are late, repeated or lost, and the reader reads the
 * payments API. Store and reader are those of production.
 */
export async function simulate(store: Store, cell: Cell, random: Random): Promise<Figures> {
  const queue = createQueue()
  const lives = new Map(
    Array.from({ length: cell.payments }, (_, number) => lifeOf(number, cell.outage === true, random)),
  )
  /** By correlation id: resolves when the read of a payment waits for an answer, or is done. */
  const rests = new Map<string, () => void>()
  let now = 0

  const clock = () => after(now, NOW)
  const lifeFor = ({ link }: ReadSubject) => present(lives.get(present(link).ref))
  const answer = (life: Life) => {
    life.reads += 1
    const tookMs = 200 + random() * 1_800
    const said = truthAt(life.truths, now + random() * tookMs)
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof report>>()
    queue.add(now + tookMs, { kind: 'answer', life, give: () => resolve(reported(life, said, true)) })
    rests.get(life.ref)?.()
    return promise
  }
  const readables = createReadables({
    store,
    sites: SITES,
    clock,
    upstream: {
      getPayinLink: (_site, id) => answer(lifeOfLink(lives, id)),
      getPayin: neverAsked,
      searchAgreements: neverAsked,
      getPayout: neverAsked,
    },
  })
  const budget = createReadBudget({
    store,
    leader: { lease: () => null, lost: () => {} },
    timer: systemTimer,
    logger: createLogger({ level: 'silent' }),
    perSecond: NO_LIMIT,
  })
  const asker = createSingleFlightReader({ budget, onRead: () => {} })

  /** Waits, without advancing the clock, until a read calls the payments API or is done. */
  const untilRest = async (life: Life, run: () => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    rests.set(life.ref, resolve)
    run()
    await promise
  }

  const begin = async (subject: ReadSubject) => {
    const life = lifeFor(subject)
    life.reading = true
    const over = async (result: ReadResult) => {
      if (result.kind === 'failed') throw result.error
      life.reading = false
      await look(life)
      rests.get(life.ref)?.()
    }
    await untilRest(life, () => void asker.read(readables.ofPayment(subject)).then(over))
  }

  /** Waits for the next read of a payment. */
  const look = async (life: Life) => {
    const dueAt = (await store.reads.subject(linkOf(life)))?.dueAt ?? null
    if (dueAt !== null) queue.add(Math.max(now, dueAt.getTime() - NOW.getTime()), { kind: 'due', life })
  }

  /** Begins the read of a payment if it is due; after its outage, if that is under way. */
  const readDue = async (life: Life) => {
    const subject = await store.reads.subject(linkOf(life))
    if (subject?.dueAt == null || subject.dueAt > clock() || life.reading || life.judged) return
    if (isAway(life, now)) queue.add(life.outage?.to ?? now, { kind: 'due', life })
    else await begin(subject)
  }

  /** Compares payments with the list of the payments API. */
  const compare = async (compared: readonly Life[]) => {
    const plan = { ...spanOfDay(DAY), parts: [LINKS] }
    const asked = { plan, dryRun: false, daily: true, requestedBy: null, requestedAt: clock() }
    const begun = await store.imports.begin(asked)
    const lease = present(await store.leases.take('reader', 'simulation', { now: clock(), until: clock() }))
    if (begun.kind !== 'begun') throw new Error('Another comparison is running.')
    const { number } = begun.import
    const totalPages = Math.ceil(compared.length / PAGE)
    for (let page = 0; page < totalPages; page++) {
      const [place] = present(await store.imports.byNumber(number)).places
      if (place?.kind !== 'LIST') throw new Error('The list has ended.')
      const entries = compared.slice(page * PAGE, (page + 1) * PAGE).map((life) => ({
        report: reported(life, truthAt(life.truths, now), true),
        site: LINKS.site,
        ref: null,
        isLink: true,
        isPayerErased: false,
      }))
      await store.imports.record({ number, place, found: { list: 'LINKS', entries }, totalPages, at: clock() }, lease)
    }
    while (!(await store.imports.clear(number, clock())));
    for (const life of compared) await look(life)
  }

  /** What is under way is read, and what was made in the outage is compared. */
  const sweep = async (life: Life) => {
    const subject = await store.reads.subject(linkOf(life))
    if (subject?.dueAt != null) await pollAt(store.reads, subject.paymentId ?? linkOf(life), clock())
    if (present(life.truths[0]).at >= (life.outage?.from ?? 0) - BEFORE_OUTAGE_MS) await compare([life])
    else await look(life)
  }

  const makeLink = async ({ ref }: Life) => {
    const expiresAt = after(HOUR_MS, clock()).toISOString()
    await settledLink(store, ref, { createdAt: clock().toISOString(), expiresAt })
    await look(present(lives.get(ref)))
  }

  const receive = async (life: Life, truth: Truth, number: number) => {
    const arrives = !isAway(life, now) && random() >= cell.lost
    if (arrives) {
      const said = reported(life, truth, cell.equalBodies !== true)
      await store.inbox.receive(delivery(said, { ref: life.ref, receivedAt: clock() }))
      await look(life)
    }
    const isAcknowledged = arrives && random() >= cell.lost
    const next = ATTEMPTS_AT[number + 1]
    if (isAcknowledged || next === undefined) return
    queue.add(truth.at + next + random() * 3_000, { kind: 'attempt', life, truth, number: number + 1 })
  }

  const happen = async (happening: Happening) => {
    if (happening.kind === 'comparison')
      return compare([...lives.values()].filter((life) => !life.judged && !isAway(life, now)))
    const { life } = happening
    if (happening.kind === 'birth') await makeLink(life)
    else if (happening.kind === 'attempt') await receive(life, happening.truth, happening.number)
    else if (happening.kind === 'answer') await untilRest(life, happening.give)
    else if (happening.kind === 'due') await readDue(life)
    else if (happening.kind === 'return') await sweep(life)
    else life.judged = true
  }

  const comparisons = comparisonsOf(DAY)
  for (const at of comparisons) queue.add(at, { kind: 'comparison' })
  for (const life of lives.values()) addEvents(queue, life, { random, comparisons })
  for (let living = lives.size; living > 0;) {
    const { at, happening } = present(queue.take())
    now = Math.max(now, at)
    await happen(happening)
    if (happening.kind === 'judgement') living -= 1
  }
  budget.close()
  return judge(store, [...lives.values()])
}

function lifeOfLink(lives: ReadonlyMap<string, Life>, link: string): Life {
  return present(lives.get(refOf(link)))
}

/** Never called: every payment here has a link. */
function neverAsked(): never {
  throw new Error('A payment through a link was read as a direct payin.')
}

/** The day on which all payments are made, by its start. */
const DAY = Math.floor(NOW.getTime() / DAY_MS) * DAY_MS

/** Returns when a day is compared, in milliseconds since the beginning of the simulation. */
function comparisonsOf(day: number): number[] {
  const comparedAt = new Map<number, number>()
  const instants: number[] = []
  for (let now = day; now < day + 200 * DAY_MS; now += HOUR_MS)
    for (let due = nextComparedDay(now, { since: day, comparedAt }); due !== null;) {
      comparedAt.set(due, now)
      if (due === day) instants.push(now - NOW.getTime())
      due = nextComparedDay(now, { since: day, comparedAt })
    }
  return instants
}

function addEvents(
  queue: Queue,
  life: Life,
  { random, comparisons }: { readonly random: Random; readonly comparisons: readonly number[] },
): void {
  for (const [number, truth] of life.truths.entries()) {
    if (number === 0) queue.add(truth.at, { kind: 'birth', life })
    queue.add(truth.at + random() * 3_000, { kind: 'attempt', life, truth, number: 0 })
  }
  if (life.outage !== null) queue.add(life.outage.to, { kind: 'return', life })
  const last = present(life.truths.at(-1)).at
  const found = comparisons.find((at) => at >= last && !isAway(life, at)) ?? last
  queue.add(Math.max(last + JUDGED_AFTER_MS, found + HOUR_MS), { kind: 'judgement', life })
}

async function judge(store: Store, lives: readonly Life[]): Promise<Figures> {
  let statusWrong = 0
  let refundedWrong = 0
  for (const life of lives) {
    const [payment] = await store.payments.byIds([paymentOf(life)])
    const truth = present(life.truths.at(-1))
    if (payment?.statusRaw !== truth.status) statusWrong += 1
    if (Number(payment?.details.refunded ?? 0) !== truth.refunded) refundedWrong += 1
  }
  return {
    statusWrong: statusWrong / lives.length,
    refundedWrong: refundedWrong / lives.length,
    readsPerPayment: lives.reduce((sum, { reads }) => sum + reads, 0) / lives.length,
  }
}
