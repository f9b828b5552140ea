import type { ObjectPlan } from './plan.ts'

/** A plan is worth it when it has been executed so often: documents that come once are not remembered. */
const MIN_USES = 64
/** Plans whose texts are kept: beyond, those of the oldest are dropped. */
const MAX_PLANS = 64

/**
 * Keeps the JSON of frozen objects of which a plan reads properties alone, by plan and object: a method of a list that is cached has
 * the same JSON in every response. An object that is dropped takes its texts along.
 */
export class StaticTexts {
  readonly #uses = new WeakMap<ObjectPlan, { count: number }>()
  readonly #texts = new Map<ObjectPlan, WeakMap<object, string>>()

  /** The texts of a plan; null for one that has not been executed often enough. */
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

/** Whether the properties that a plan reads of a frozen object can never change. */
export function isStatic(value: object, properties: readonly string[]): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  return properties.every((name) => {
    const property: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
    if (property === undefined) return !(name in value)
    return property === null || (typeof property !== 'object' && typeof property !== 'function')
  })
}
