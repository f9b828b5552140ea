import type { Text } from './run.ts'

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
    void Promise.allSettled(this.#later)
  }

  /** Throws an error once the other parts are known; at once when all are. */
  failWith(error: unknown): Promise<string> {
    if (this.#later.length === 0) throw error
    const fail = () => {
      throw error
    }
    return Promise.all(this.#later).then(fail, fail)
  }
}
