import type { Text } from './run-plan.ts'

/** Joins the parts of a text in order; parts may be promises. */
export class Parts {
  /** The text before each pending part, and after the last one. */
  readonly #before: string[] = []
  readonly #later: Promise<string>[] = []
  #text = ''

  /** Adds a label and a part. */
  add(label: string, part: Text): void {
    if (typeof part === 'string') this.#text += label + part
    else {
      this.#before.push(this.#text + label)
      this.#later.push(part)
      this.#text = ''
    }
  }

  /** Returns the whole text, synchronously if no part is pending. Rejects if a part does. */
  end(last: string): Text {
    if (this.#later.length === 0) return this.#text + last
    const rest = this.#text + last
    return Promise.all(this.#later).then(
      (parts) => this.#before.map((text, index) => text + parts[index]).join('') + rest,
    )
  }

  /** Discards the text; rejections of pending parts are ignored. */
  abandon(): void {
    for (const part of this.#later) part.catch(ignore)
  }

  /** Throws `reason` if no part is pending. Otherwise rejects with it when all parts are fulfilled or one is rejected. */
  failWith(reason: unknown): Promise<string> {
    if (this.#later.length === 0) throw reason
    return this.#fail(reason)
  }

  async #fail(reason: unknown): Promise<string> {
    await Promise.all(this.#later).catch(ignore)
    throw reason
  }
}

/** Ignores the rejection of a discarded part. */
function ignore(): void {}
