/** The sandbox's own time. */
export type SandboxClock = {
  /** The current time of this clock. */
  now(): Date
  /**
   * Moves the clock forward by `ms` milliseconds. Runs every timer that falls due on the way, in order, each at its own
   * time, and waits for the deliveries that they cause and for those in flight. The clock does not run by itself meanwhile.
   * Throws `RangeError` when `ms` is negative or not finite.
   */
  advance(ms: number): Promise<void>
}

/** The work of a timer; `advance` waits for the promise. */
type TimerWork = () => void | Promise<unknown>

/** A timer that can be cancelled. */
export type Timer = { readonly dueAt: Date; cancel(): void }

type Entry = { readonly dueMs: number; readonly order: number; readonly work: TimerWork }

/** Node fires at once when a delay is longer than this, so longer delays are split. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1

/** Floats of this size are off by up to a thousandth; a time just below a whole millisecond counts as that millisecond. */
const ROUNDING_MS = 0.01

/** The clock with timers: real time plus an offset, and a queue ordered by due time. */
export class TimerClock implements SandboxClock {
  #offsetMs: number
  #entries: Entry[] = []
  #order = 0
  #alarm: NodeJS.Timeout | undefined
  #advances: Promise<void> = Promise.resolve()
  #advancing = false
  /** The fixed time while `advance` runs: the work that `advance` waits for takes no time on this clock. */
  #standsAt: number | null = null
  #closed = false
  #whenIdle: () => Promise<unknown> = () => Promise.resolve()
  readonly #whenChanged: () => void

  /** `whenChanged` is called after the clock was moved, and after each timer's work. */
  constructor(startAt: Date = new Date(), whenChanged: () => void = () => undefined) {
    this.#offsetMs = startAt.getTime() - performance.now()
    this.#whenChanged = whenChanged
  }

  /** Sets the promise that `advance` waits for before the first step and after each step. */
  waitFor(whenIdle: () => Promise<unknown>): void {
    this.#whenIdle = whenIdle
  }

  now(): Date {
    return new Date(this.#nowMs())
  }

  /** Schedules `work` for this time of the clock, or as soon as possible when the time has passed. */
  schedule(dueAt: Date, work: TimerWork): Timer {
    const entry: Entry = { dueMs: dueAt.getTime(), order: this.#order++, work }
    if (!this.#closed) {
      this.#entries.push(entry)
      this.#entries.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)
      this.#arm()
    }
    return { dueAt, cancel: () => this.#remove(entry) }
  }

  /** Schedules `work` after `ms` milliseconds of the clock. */
  after(ms: number, work: TimerWork): Timer {
    return this.schedule(new Date(this.#nowMs() + ms), work)
  }

  /** Runs the due timers and returns the promises of their work; an empty list when nothing was due or `advance` runs. */
  runDue(): Promise<unknown>[] {
    const running: Promise<unknown>[] = []
    if (this.#advancing) return running
    for (let entry = this.#takeDue(this.#nowMs()); entry !== undefined; entry = this.#takeDue(this.#nowMs())) {
      running.push(Promise.resolve(entry.work()))
      this.#whenChanged()
    }
    this.#arm()
    return running
  }

  advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0)
      return Promise.reject(new RangeError('The clock only moves forward, by a finite step.'))
    const step = this.#advances.then(() => this.#advanceBy(ms))
    this.#advances = step.catch(() => undefined)
    return step
  }

  /** Cancels every timer, and goes on from another time. */
  restart(at: Date): void {
    this.#entries = []
    this.#offsetMs = at.getTime() - performance.now()
    this.#arm()
    this.#whenChanged()
  }

  /** Cancels every timer. */
  close(): void {
    this.#closed = true
    this.#entries = []
    clearTimeout(this.#alarm)
  }

  async #advanceBy(ms: number): Promise<void> {
    this.#standsAt = this.#nowMs()
    const targetMs = this.#standsAt + ms
    this.#advancing = true
    try {
      await this.#whenIdle()
      for (let entry = this.#takeDue(targetMs); entry !== undefined; entry = this.#takeDue(targetMs)) {
        this.#standsAt = Math.max(this.#standsAt, entry.dueMs)
        await entry.work()
        await this.#whenIdle()
      }
    } finally {
      this.#offsetMs = targetMs - performance.now()
      this.#standsAt = null
      this.#advancing = false
      this.#arm()
      this.#whenChanged()
    }
  }

  #nowMs(): number {
    return this.#standsAt ?? Math.floor(performance.now() + this.#offsetMs + ROUNDING_MS)
  }

  #takeDue(untilMs: number): Entry | undefined {
    const first = this.#entries[0]
    if (first === undefined || first.dueMs > untilMs) return undefined
    this.#entries.shift()
    return first
  }

  #remove(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry)
    this.#arm()
  }

  #arm(): void {
    clearTimeout(this.#alarm)
    const first = this.#entries[0]
    if (first === undefined || this.#advancing || this.#closed) return
    const delayMs = Math.max(0, Math.ceil(first.dueMs - (performance.now() + this.#offsetMs)))
    this.#alarm = setTimeout(() => this.runDue(), Math.min(delayMs, LONGEST_DELAY_MS))
  }
}

/**
 * Parses an instant of the interface, in UTC: `YYYY-MM-DDThh:mm:ss`, with an optional fraction, followed by nothing, `Z` or
 * `+0000` (gap sheet, section 26). Returns undefined for any other text and for dates that do not exist.
 */
export function parseMoment(text: string): Date | undefined {
  const [, local = ''] = MOMENT.exec(text) ?? []
  const moment = new Date(`${local}Z`)
  const isReal = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(local.slice(0, DAY_LENGTH))
  return isReal ? moment : undefined
}

const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?)(?:Z|\+00:?00)?$/
const DAY_LENGTH = 'YYYY-MM-DD'.length
