import { systemTimer } from '../../../src/lib/timers.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { createReadBudget } from '../../../src/reconciliation/read-budget.ts'
import { createSingleFlightReader, type ReadResult } from '../../../src/reconciliation/single-flight-reader.ts'
import { paymentReads } from '../../../src/reconciliation/subject-readers.ts'
import type { ReadSubject, Store } from '../../../src/store/store.ts'
import { createSites } from '../../../src/upstream/client/sites.ts'
import { after, delivery, NOW, present, type report, settledLink } from '../../store/contract/builders.ts'
import { dueReads, pollAt } from '../../support/due-reads.ts'
import type { Random } from '../random.ts'
import { isAway, type Life, lifeOf, linkOf, paymentOf, refOf, reported } from './life.ts'
import { createQueue } from './queue.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Truth, truthAt } from './truth.ts'

/** How webhooks are lost, and which mechanisms make up for it. */
export type Cell = {
  readonly payments: number
  /** Share of the attempts that never arrive, and of the arrivals whose answer is lost, so that they are sent again. */
  readonly lost: number
  /** Whether two equal partial refunds have the same bytes: bodies contain no totals. */
  readonly equalBodies?: boolean
  /** Whether each payment has an outage of the app of 10 to 120 minutes, in which it changes. */
  readonly outage?: boolean
  /** Whether planned reads are made; otherwise only those that a webhook requires. */
  readonly polls: boolean
  /** Whether each payment is read after its outage. */
  readonly sweep: boolean
}

/** Results over all payments, each three days after its last change. */
export type Figures = {
  readonly statusWrong: number
  readonly refundedWrong: number
  /** Mean over all payments. */
  readonly minutesWrong: number
  readonly readsPerPayment: number
}

/** Attempts of one webhook, in milliseconds after the event (docs/payments-api.md, section 6.1). */
const ATTEMPTS_AT = [0, 15, 30, 45].map((minutes) => minutes * MINUTE_MS)
/** Reads per second: the rate limit is not tested here. */
const NO_LIMIT = 1_000_000
const SITES = createSites([{ id: 'au', appId: 'app', secretKey: 'key', currencies: ['AUD'] }])
const JUDGED_AFTER_MS = 3 * DAY_MS

type Happening =
  | { readonly kind: 'attempt'; readonly life: Life; readonly truth: Truth; readonly number: number }
  | { readonly kind: 'birth' | 'change' | 'return' | 'judgement'; readonly life: Life }
  | { readonly kind: 'answer'; readonly life: Life; readonly give: () => void }

/**
 * Simulates many payments on a virtual clock. The store receives webhooks that are late, repeated or lost, and the reader reads the
 * payments API. Store and reader are those of production.
 */
export async function simulate(store: Store, cell: Cell, random: Random): Promise<Figures> {
  const queue = createQueue<Happening>()
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
  const source = paymentReads({
    reads: store.reads,
    sites: SITES,
    clock,
    lists: null,
    upstream: { getPayinLink: (_site, id) => answer(lifeOfLink(lives, id)), getPayin: neverAsked },
  })
  const budget = createReadBudget({
    timer: systemTimer,
    logger: createLogger({ level: 'silent' }),
    perSecond: NO_LIMIT,
  })
  const asker = createSingleFlightReader({ source, budget, onRead: () => {} })

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
    await untilRest(life, () => void asker.read(subject).then(over))
  }

  /** Records what is shown of a payment, and for how long that was wrong. */
  const look = async (life: Life) => {
    note(life)
    const [payment] = await store.payments.byIds([paymentOf(life)])
    life.shown = payment?.statusRaw ?? null
  }
  const note = (life: Life) => {
    if (life.judged) return
    const truth = truthAt(life.truths, life.notedAt)
    if (life.shown !== truth.status) life.wrongMs += now - life.notedAt
    life.notedAt = now
  }

  /** Begins the reads that are due. Returns false if all of them are in flight already. */
  const readDue = async () => {
    let begun = false
    for (const subject of await dueReads(store.reads, clock(), 20)) {
      const life = lifeFor(subject)
      if (life.reading) continue
      begun = true
      if (life.judged) await store.reads.postpone(subject, null)
      else if (isAway(life, now)) await store.reads.postpone(subject, after(life.outage?.to ?? now, NOW))
      else await begin(subject)
    }
    return begun
  }

  const makeLink = async ({ ref }: Life) => {
    const expiresAt = after(HOUR_MS, clock()).toISOString()
    await settledLink(store, ref, { createdAt: clock().toISOString(), expiresAt })
  }

  const receive = async (life: Life, truth: Truth, number: number) => {
    const arrives = !isAway(life, now) && random() >= cell.lost
    if (arrives) {
      const said = reported(life, truth, cell.equalBodies !== true)
      const outcome = await store.inbox.receive(delivery(said, { ref: life.ref, receivedAt: clock() }))
      await look(life)
      if (outcome.readDue && !cell.polls && !life.reading)
        await begin(present(await store.reads.subject(paymentOf(life))))
    }
    const isAcknowledged = arrives && random() >= cell.lost
    const next = ATTEMPTS_AT[number + 1]
    if (isAcknowledged || next === undefined) return
    queue.add(truth.at + next + random() * 3_000, { kind: 'attempt', life, truth, number: number + 1 })
  }

  const happen = async (happening: Happening) => {
    const { life } = happening
    if (happening.kind === 'birth') await makeLink(life)
    else if (happening.kind === 'attempt') await receive(life, happening.truth, happening.number)
    else if (happening.kind === 'answer') await untilRest(life, happening.give)
    else if (happening.kind === 'return' && cell.sweep) await pollAt(store.reads, linkOf(life), clock())
    else note(life)
    if (happening.kind === 'judgement') life.judged = true
  }

  for (const life of lives.values()) plan(queue, life, random)
  let living = lives.size
  while (living > 0) {
    const dueAt = cell.polls ? (await store.reads.nextDue())?.getTime() : undefined
    const due = dueAt === undefined ? Number.POSITIVE_INFINITY : dueAt - NOW.getTime()
    if (due <= queue.nextAt()) {
      now = Math.max(now, due)
      if (await readDue()) continue
    }
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

function plan(queue: ReturnType<typeof createQueue<Happening>>, life: Life, random: Random): void {
  for (const [number, truth] of life.truths.entries()) {
    queue.add(truth.at, { kind: number === 0 ? 'birth' : 'change', life })
    queue.add(truth.at + random() * 3_000, { kind: 'attempt', life, truth, number: 0 })
  }
  if (life.outage !== null) queue.add(life.outage.to, { kind: 'return', life })
  queue.add(present(life.truths.at(-1)).at + JUDGED_AFTER_MS, { kind: 'judgement', life })
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
  const mean = (of: (life: Life) => number) => lives.reduce((sum, life) => sum + of(life), 0) / lives.length
  return {
    statusWrong: statusWrong / lives.length,
    refundedWrong: refundedWrong / lives.length,
    minutesWrong: mean(({ wrongMs }) => wrongMs) / MINUTE_MS,
    readsPerPayment: mean(({ reads }) => reads),
  }
}
