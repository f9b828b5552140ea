/** Tells whoever looks at a sandbox that something about it has changed: what, they ask for themselves. */
export class Changes {
  #version = 0
  readonly #listeners = new Set<() => void>()

  /** How often something has changed since the start. */
  get version(): number {
    return this.#version
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** Notes a change, and calls every listener. */
  note(): void {
    this.#version += 1
    for (const listener of this.#listeners) listener()
  }

  /** Has `listener` called at each change, until the function that is given back is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
