/** The sandbox's own time. */
export type SandboxClock = {
  /** The present moment on this clock. */
  now(): Date
  /**
   * Moves the clock forward by `ms` milliseconds. Runs every timer that falls due on the way, in order, each at its own
   * moment, and waits for the deliveries they cause, as for those that are in flight already. Meanwhile the clock does not
   * run by itself. Throws `RangeError` for a step that is negative or not finite.
   */
  advance(ms: number): Promise<void>
}

/** What a timer does when it falls due; `advance` waits for the promise. */
export type TimerWork = () => void | Promise<unknown>

/** A timer that can be called off. */
export type Timer = { readonly dueAt: Date; cancel(): void }

type Entry = { readonly dueMs: number; readonly order: number; readonly work: TimerWork }

/** Node fires at once when a delay is longer than this, so longer ones are waited for in parts. */
const LONGEST_DELAY_MS = 2 ** 31 - 1

/** A float of this size is off by up to a thousandth, and a moment just below a whole millisecond is that millisecond. */
const ROUNDING_MS = 0.01

/** The clock with the means to set timers: real time plus an offset, and a queue ordered by due time. */
export class TimerClock implements SandboxClock {
  #offsetMs: number
  #entries: Entry[] = []
  #order = 0
  #alarm: NodeJS.Timeout | undefined
  #advances: Promise<void> = Promise.resolve()
  #advancing = false
  /** The moment at which the clock stands while `advance` runs: the work that it waits for takes no time of its own. */
  #standsAt: number | null = null
  #closed = false
  #whenIdle: () => Promise<unknown> = () => Promise.resolve()
  readonly #whenChanged: () => void

  /** `whenChanged` is called after the clock was moved, and after each timer's work. */
  constructor(startAt: Date = new Date(), whenChanged: () => void = () => undefined) {
    this.#offsetMs = startAt.getTime() - performance.now()
    this.#whenChanged = whenChanged
  }

  /** Names what `advance` waits for before the first step and after each. */
  waitFor(whenIdle: () => Promise<unknown>): void {
    this.#whenIdle = whenIdle
  }

  now(): Date {
    return new Date(this.#nowMs())
  }

  /** Has `work` done at this moment of the clock, or as soon as possible when it has passed. */
  schedule(dueAt: Date, work: TimerWork): Timer {
    const entry: Entry = { dueMs: dueAt.getTime(), order: this.#order++, work }
    if (!this.#closed) {
      this.#entries.push(entry)
      this.#entries.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)
      this.#arm()
    }
    return { dueAt, cancel: () => this.#remove(entry) }
  }

  /** Has `work` done after so many milliseconds of the clock. */
  after(ms: number, work: TimerWork): Timer {
    return this.schedule(new Date(this.#nowMs() + ms), work)
  }

  /** Runs what is due now, and gives the promises of that work; an empty list when nothing was due or `advance` runs. */
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

  /** Drops every timer; nothing runs from now on. */
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
