import type { Text } from './run-plan.ts'

/** Joins the parts of a text in their order, some of which are known later. */
export class Parts {
  /** What is known before each part that is not, and behind the last of them. */
  readonly #before: string[] = []
  readonly #later: Promise<string>[] = []
  #text = ''

  /** Adds a part behind a label. */
  add(label: string, part: Text): void {
    if (typeof part === 'string') this.#text += label + part
    else {
      this.#before.push(this.#text + label)
      this.#later.push(part)
      this.#text = ''
    }
  }

  /** The whole text: at once when every part is known. Rejects when a part does. */
  end(last: string): Text {
    if (this.#later.length === 0) return this.#text + last
    const rest = this.#text + last
    return Promise.all(this.#later).then(
      (parts) => this.#before.map((text, index) => text + parts[index]).join('') + rest,
    )
  }

  /** Gives up the whole: nobody waits for the parts that are not known yet. */
  abandon(): void {
    for (const part of this.#later) part.catch(ignore)
  }

  /** Throws an error at once when every part is known, and otherwise once they are, or one has failed. */
  failWith(reason: unknown): Promise<string> {
    if (this.#later.length === 0) throw reason
    return this.#fail(reason)
  }

  async #fail(reason: unknown): Promise<string> {
    await Promise.all(this.#later).catch(ignore)
    throw reason
  }
}

/** What a part that is given up rejects with is of no interest. */
function ignore(): void {}
