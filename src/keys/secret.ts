import { inspect } from 'node:util'

const MASK = '[secret]'

/**
 * A text that must not be shown: as a string, as JSON and when inspected it is `[secret]`. Only `reveal` returns the text, so all uses can
 * be found by that name.
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the text. Never put it into a log line or a message. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [inspect.custom](): string {
    return MASK
  }
}
