import type { Logger } from '../../observability/logger.ts'
import type { Piece, SliceScheduler } from '../../streams/slice-scheduler.ts'
import type { StreamItem } from '../../streams/stream-item.ts'
import type { StreamAnswer } from './request-outcome.ts'

/** The answer to an item, complete or in progress. */
export type ItemAnswer = {
  /** Returns whether it is complete. If not, `piece` runs when it is. */
  isMade(piece: Piece): boolean
  /** Returns the answer for a stream with this item once it is complete; null if it failed. */
  resultFor(item: StreamItem): AnswerResult | null
}

export type AnswerResult = IteratorYieldResult<StreamAnswer>

export type ItemAnswerOptions = {
  /** Cursor after which a stream continues behind the item. */
  readonly cursor: string
  /** Placeholder that is replaced by the cursor of each stream's previous item; null if there is none. */
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
  /** The text around the placeholders of `previousCursor`; null if it failed. */
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
    // Subscribers are served in time slices.
    for (const piece of others) this.#options.scheduler.push(piece)
  }
}
