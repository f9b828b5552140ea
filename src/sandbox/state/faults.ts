/** What happens to a call instead of, or in addition to, its proper answer. */
export type FaultAnswer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { delayMs: number }
  /** Never answers. */
  | 'hang'
  /** Resets the connection before any work is done. */
  | 'reset'
  /** Does the work, then cuts the connection. */
  | 'drop-after'

/**
 * A fault for the next calls that match. `method` matches any when absent. `path` is with or without `/api` and without
 * a query; a `*` at its end stands for any rest; absent, it matches any. `times` is 1 when absent.
 */
export type Fault = { method?: string; path?: string; times?: number; answer: FaultAnswer }

/** A fault that is still to happen, `left` times. */
export type ActiveFault = { method: string | null; path: string | null; left: number; answer: FaultAnswer }

/** The faults that are still to happen; the first that matches is taken. */
export class FaultBook {
  #pending: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    this.#pending.push({ fault, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#pending = []
  }

  /** The faults that are still to happen, the next one first. */
  list(): ActiveFault[] {
    return this.#pending.map(({ fault: { method, path, answer }, left }) => ({
      method: method ?? null,
      path: path ?? null,
      left,
      answer,
    }))
  }

  /** How many faults are still to happen. */
  get left(): number {
    return this.#pending.reduce((sum, entry) => sum + entry.left, 0)
  }

  /** Takes the fault that this call meets, if any. `path` is the call's own, from `/api` on. */
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
