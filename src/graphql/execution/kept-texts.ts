import type { FieldPlan, ObjectPlan } from './plan.ts'

/** The texts of a plan are kept from this number of executions on, so that documents that are sent once take no memory. */
const MIN_USES = 64
/** Largest number of plans whose texts are kept; the oldest are dropped first. */
const MAX_PLANS = 64
/** Largest number of characters of all texts together; all are dropped when there are more. */
const MAX_CHARACTERS = 16_000_000

/** The texts of one plan. */
export type PlanTexts = {
  /** Those of whole objects; null if a field depends on more than its object. */
  readonly whole: Texts | null
  /** Consecutive fields: all of them `FieldPlan.isOwn`, whose texts are kept, or none. */
  readonly parts: readonly Part[]
  /** By frozen list of objects whose whole texts never change. */
  readonly lists: WeakMap<object, string>
}

type Part = { readonly plan: ObjectPlan; readonly texts: Texts | null }

/** The text of an object, and the milliseconds since the epoch until which it holds. */
type KeptText = { readonly text: string; readonly until: number }

/**
 * Keeps the JSON of frozen objects, and of parts of them, that is written from their properties alone: a method of a cached list, and
 * the id and amount of a cached link, have the same JSON in every response, and a link without a payment until it expires. Texts are
 * garbage-collected with their object.
 */
export class KeptTexts {
  readonly #uses = new WeakMap<ObjectPlan, { count: number }>()
  readonly #plans = new Map<ObjectPlan, PlanTexts>()
  /** Plans of which nothing can be kept. */
  readonly #without = new WeakSet<ObjectPlan>()
  #characters = 0

  /** Returns the texts of a plan; null if nothing can be kept, or if it has not been executed often enough. */
  of(plan: ObjectPlan): PlanTexts | null {
    const known = this.#plans.get(plan)
    if (known !== undefined) return known
    if (this.#without.has(plan)) return null
    const uses = this.#uses.get(plan) ?? { count: 0 }
    this.#uses.set(plan, uses)
    uses.count += 1
    if (uses.count < MIN_USES) return null
    const texts = textsOf(plan, (characters) => this.#count(characters))
    if (texts.whole === null && texts.parts.every((part) => part.texts === null)) {
      this.#without.add(plan)
      return null
    }
    this.#plans.set(plan, texts)
    for (const oldest of this.#plans.keys()) {
      if (this.#plans.size <= MAX_PLANS) break
      this.#plans.delete(oldest)
      this.#uses.delete(oldest)
    }
    return texts
  }

  /** Returns the kept text of a frozen list of objects with this plan; undefined if there is none. */
  listText(plan: ObjectPlan, list: readonly unknown[]): string | undefined {
    return this.#plans.get(plan)?.lists.get(list)
  }

  /** Keeps the text of a frozen list of objects with this plan, if the whole text of each is kept and never changes. */
  keepList(plan: ObjectPlan, list: readonly unknown[], text: string): void {
    const { whole = null, lists } = this.#plans.get(plan) ?? {}
    if (whole === null || !Object.isFrozen(list)) return
    if (!list.every((item) => typeof item === 'object' && item !== null && whole.lasts(item))) return
    lists?.set(list, inOnePiece(text))
    this.#count(text.length)
  }

  #count(characters: number): void {
    this.#characters += characters
    if (this.#characters <= MAX_CHARACTERS) return
    this.#characters = 0
    this.#plans.clear()
  }
}

/** Texts by object, of the fields of a plan. */
class Texts {
  readonly #fields: readonly FieldPlan[]
  readonly #onKept: (characters: number) => void
  /** Null for an object of which no text can be kept. */
  readonly #texts = new WeakMap<object, KeptText | null>()

  constructor(fields: readonly FieldPlan[], onKept: (characters: number) => void) {
    this.#fields = fields
    this.#onKept = onKept
  }

  /** Returns the text of an object if it is kept and still holds. */
  get(value: object, now: () => Date): string | null {
    const kept = this.#texts.get(value)
    if (kept === undefined || kept === null) return null
    return kept.until === Infinity || kept.until > now().getTime() ? kept.text : null
  }

  /** Returns until when the text of an object that is written now holds, in milliseconds since the epoch; 0 if it cannot be kept. */
  until(value: object, now: () => Date): number {
    if (this.#texts.get(value) === null) return 0
    const until = untilOfAll(this.#fields, value, now().getTime())
    if (until === 0) this.#texts.set(value, null)
    return until
  }

  keep(value: object, text: string, until: number): void {
    this.#texts.set(value, { text: inOnePiece(text), until })
    this.#onKept(text.length)
  }

  /** Returns whether the text of an object is kept and never changes. */
  lasts(value: object): boolean {
    return this.#texts.get(value)?.until === Infinity
  }
}

/** V8 joins the parts of a text when a character is read; it would join the same parts again for each response. */
function inOnePiece(text: string): string {
  return text.charCodeAt(0) === 0 ? '' : text
}

function textsOf({ labels, fields }: ObjectPlan, onKept: (characters: number) => void): PlanTexts {
  const isWhole = fields.every(({ untilOf }) => untilOf !== null)
  // Then the whole is kept for every object for which a part would be.
  const isAllOwn = fields.every((field) => field.isOwn)
  const parts: { plan: ObjectPlan; isOwn: boolean }[] = []
  for (const [index, field] of fields.entries()) {
    const isOwn = field.isOwn && !isAllOwn
    const last = parts.at(-1)
    const before = last?.isOwn === isOwn ? last.plan : null
    const plan = {
      labels: [...(before?.labels ?? []), labels[index] ?? ''],
      fields: [...(before?.fields ?? []), field],
      end: '',
    }
    parts.splice(before === null ? parts.length : -1, 1, { plan, isOwn })
  }
  return {
    whole: isWhole ? new Texts(fields, onKept) : null,
    parts: parts.map(({ plan, isOwn }) => ({ plan, texts: isOwn ? new Texts(plan.fields, onKept) : null })),
    lists: new WeakMap(),
  }
}

/** Returns until when these fields of an object have the values that they have at `now`; 0 if that depends on more than the object. */
function untilOfAll(fields: readonly FieldPlan[], value: unknown, now: number): number {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return 0
  if (Object.getPrototypeOf(value) !== Object.prototype) return 0
  let until = Infinity
  for (const field of fields) until = Math.min(until, field.untilOf?.(value, now) ?? 0)
  return until
}

/** Returns `FieldPlan.untilOf` of a field that is an object in a property. `planOf` is called when needed. */
export function untilOfObject(name: string, planOf: () => ObjectPlan): FieldPlan['untilOf'] {
  return (value, now) => {
    const property: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
    return property === null ? Infinity : untilOfAll(planOf().fields, property, now)
  }
}
