import type { Logger } from '../../observability/logger.ts'
import type { Piece, SliceScheduler } from '../../streams/slice-scheduler.ts'
import type { StreamItem } from '../../streams/stream-item.ts'
import type { StreamAnswer } from './request-outcome.ts'

/** The answer to an item; complete, failed or in progress. */
export type ItemAnswer = {
  /** Returns whether it is complete or has failed. If not, `piece` runs once it is. */
  isMade(piece: Piece): boolean
  /** Returns the answer for a stream with this item. Null if it has failed, or is not complete. */
  resultFor(item: StreamItem): AnswerResult | null
}

export type AnswerResult = IteratorYieldResult<StreamAnswer>

export type ItemAnswerOptions = {
  /** Cursor from which a stream resumes after the item. */
  readonly cursor: string
  /** The placeholder for the cursor of each stream's previous item, and its replacement; null without a placeholder. */
  readonly template: { readonly placeholder: string; readonly cursorOf: (position: number) => string } | null
  readonly scheduler: Pick<SliceScheduler, 'push'>
  readonly logger: Logger
}

/** Creates an answer from `text`, which returns its JSON. A failure is logged once. */
export function createItemAnswer(text: () => Promise<string> | string, options: ItemAnswerOptions): ItemAnswer {
  const answer = new MadeAnswer(options)
  try {
    const json = text()
    if (typeof json === 'string') answer.finish(json)
    else json.then((made) => answer.finish(made), answer.fail)
  } catch (error) {
    answer.fail(error)
  }
  return answer
}

class MadeAnswer implements ItemAnswer {
  readonly #options: ItemAnswerOptions
  #waiting: Piece[] | null = []
  /** The text around the placeholders of `previousCursor`; null until the answer is complete, and if it has failed. */
  #parts: readonly string[] | null = null
  #lastPrevious: number | null = null
  #last: AnswerResult | null = null

  constructor(options: ItemAnswerOptions) {
    this.#options = options
  }

  isMade(piece: Piece): boolean {
    this.#waiting?.push(piece)
    return this.#waiting === null
  }

  resultFor({ previous }: StreamItem): AnswerResult | null {
    const parts = this.#parts
    if (parts === null) return null
    if (this.#last !== null && (parts.length === 1 || previous === this.#lastPrevious)) return this.#last
    const { cursor, template } = this.#options
    const json = template === null || previous === null ? parts.join('') : parts.join(template.cursorOf(previous))
    this.#lastPrevious = previous
    this.#last = { done: false, value: Object.freeze({ json, cursor }) }
    return this.#last
  }

  finish(json: string): void {
    const { template } = this.#options
    this.#parts = template === null ? [json] : json.split(template.placeholder)
    this.#runWaiting()
  }

  readonly fail = (error: unknown): void => {
    this.#options.logger.error({ err: error }, 'an item of a stream could not be answered')
    this.#runWaiting()
  }

  #runWaiting(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    const [first, ...others] = waiting
    first?.run()
    // The scheduler runs the other subscribers in time slices, so that they do not block the event loop.
    for (const piece of others) this.#options.scheduler.push(piece)
  }
}
