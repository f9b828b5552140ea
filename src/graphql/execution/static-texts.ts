import type { ObjectPlan } from './plan.ts'

/** The texts of a plan are kept from this number of executions on, so that documents that are sent once take no memory. */
const MIN_USES = 64
/** Largest number of plans whose texts are kept; the oldest are dropped first. */
const MAX_PLANS = 64

/**
 * Keeps the JSON of frozen objects of which a plan reads only properties, by plan and object: a method of a cached list has the same
 * JSON in every response. Texts are garbage-collected with their object.
 */
export class StaticTexts {
  readonly #uses = new WeakMap<ObjectPlan, { count: number }>()
  readonly #texts = new Map<ObjectPlan, WeakMap<object, string>>()

  /** Returns the texts of a plan; null if it has not been executed often enough. */
  of(plan: ObjectPlan): WeakMap<object, string> | null {
    const known = this.#texts.get(plan)
    if (known !== undefined) return known
    const uses = this.#uses.get(plan) ?? { count: 0 }
    this.#uses.set(plan, uses)
    uses.count += 1
    if (uses.count < MIN_USES) return null
    const texts = new WeakMap<object, string>()
    this.#texts.set(plan, texts)
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MAX_PLANS) break
      this.#texts.delete(oldest)
      this.#uses.delete(oldest)
    }
    return texts
  }
}

/** Returns whether the properties that a plan reads from a frozen object cannot change. */
export function isStatic(value: object, properties: readonly string[]): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  return properties.every((name) => {
    const property: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
    if (property === undefined) return !(name in value)
    return property === null || (typeof property !== 'object' && typeof property !== 'function')
  })
}
