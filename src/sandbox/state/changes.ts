/** Notifies listeners that the state of a sandbox has changed; listeners read the new state themselves. */
export class Changes {
  #version = 0
  readonly #listeners = new Set<() => void>()

  /** Number of changes since the start. */
  get version(): number {
    return this.#version
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** Counts a change and calls every listener. */
  note(): void {
    this.#version += 1
    for (const listener of this.#listeners) listener()
  }

  /** Calls `listener` at each change. Returns the function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
