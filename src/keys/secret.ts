import { inspect } from 'node:util'

const MASK = '[secret]'

/**
 * A text that must not be seen: printing it, turning it into JSON or inspecting it gives `[secret]`. Only `reveal` gives
 * the text itself, so every use can be found by that name.
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself, for the one place that needs it: never for a log line or a message. */
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
