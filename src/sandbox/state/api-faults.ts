/** The effect of a fault on a call: replaces or delays the regular response, or cuts the connection. */
export type FaultAnswer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { delayMs: number }
  /** Never responds. */
  | 'hang'
  /** Resets the connection before any work is done. */
  | 'reset'
  /** Does the work, then cuts the connection. */
  | 'drop-after'

/**
 * A fault for the next matching calls. `method`: default any. `path`: with or without `/api`, without a query; a `*` at the
 * end matches any rest; default any. `times`: default 1.
 */
export type Fault = { method?: string; path?: string; times?: number; answer: FaultAnswer }

/** A fault that will apply to the next `left` matching calls. */
export type ActiveFault = { method: string | null; path: string | null; left: number; answer: FaultAnswer }

/** The faults that have not been used up; the first match applies. */
export class FaultBook {
  #pending: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    this.#pending.push({ fault, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#pending = []
  }

  /** Returns the faults that have not been used up, in order. */
  list(): ActiveFault[] {
    return this.#pending.map(({ fault: { method, path, answer }, left }) => ({
      method: method ?? null,
      path: path ?? null,
      left,
      answer,
    }))
  }

  /** Number of faults that have not been used up. */
  get left(): number {
    return this.#pending.reduce((sum, entry) => sum + entry.left, 0)
  }

  /** Uses the fault that matches this call, if any. `path` is the call's own, from `/api` on. */
  take(method: string, path: string): FaultAnswer | undefined {
    const entry = this.#pending.find(({ fault }) => matches(fault, method, path))
    if (entry === undefined) return undefined
    entry.left -= 1
    this.#pending = this.#pending.filter(({ left }) => left > 0)
    return entry.fault.answer
  }
}

function matches(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false
  if (fault.path === undefined) return true
  const pattern = fault.path.startsWith('/api') ? fault.path : `/api${fault.path}`
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}
