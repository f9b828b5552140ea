import { type GraphQLError, type GraphQLResolveInfo, locatedError } from 'graphql'
import type { Context } from '../context.ts'
import type { FieldPlan, ObjectPlan } from './plan.ts'

/** Position of a value in the response, compared by identity. */
export type Path = { readonly prev: Path | undefined; readonly key: string | number }

/** A part of the response as JSON, or a promise of it. */
export type Text = string | Promise<string>

/** The JSON of null. A completed value has this text only if it is null. */
export const NULL = 'null'

export type Arguments = Readonly<Record<string, unknown>>

/** One execution of an operation. */
export class Run {
  readonly context: Context
  readonly variables: Arguments
  readonly rootValue: unknown
  readonly errors: GraphQLError[] = []
  /** By the numbers that the plan assigns: the `info` of resolvers, and the arguments that depend on variables. */
  readonly infos: GraphQLResolveInfo[] = []
  readonly args: Arguments[] = []
  #failed: Set<Path | undefined> | null = null

  constructor(context: Context, variables: Arguments, rootValue: unknown) {
    this.context = context
    this.variables = variables
    this.rootValue = rootValue
  }

  /** Adds an error, unless its position or an ancestor is already null because of another error. */
  addError(error: GraphQLError, path: Path | undefined): void {
    const positions = (this.#failed ??= new Set())
    for (let at = path; at !== undefined; at = at.prev) if (positions.has(at)) return
    if (positions.has(undefined)) return
    positions.add(path)
    this.errors.push(error)
  }
}

/** A field of the response at which errors are handled. */
export type FieldPlace = {
  readonly field: FieldPlan
  readonly run: Run
  readonly path: Path
  readonly nonNull: boolean
}

/**
 * Handles an error at a field: adds the error and returns null, or, if the field is non-null, throws the located error to the nearest
 * nullable ancestor.
 */
export function failed({ field, run, path, nonNull }: FieldPlace, raw: unknown): string {
  const error = locatedError(raw, field.nodes, keysOf(path))
  if (nonNull) throw error
  run.addError(error, path)
  return NULL
}

/** Does the same for the rejection of a promise. */
export function recovered(text: Promise<string>, place: FieldPlace): Promise<string> {
  return text.then(undefined, (raw: unknown) => failed(place, raw))
}

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at: Path | undefined = path; at !== undefined; at = at.prev) keys.push(at.key)
  return keys.toReversed()
}

/** Returns whether a value is a promise or another thenable. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** The texts of a plan are kept from this number of executions on, so that documents that are sent once take no memory. */
const MIN_USES = 64
/** Largest number of plans whose texts are kept; the oldest are dropped first. */
const MAX_PLANS = 64
/** Largest number of characters of all texts together; all are dropped when there are more. */
const MAX_CHARACTERS = 16_000_000

/** Consecutive fields of a plan: all of them static, whose text is kept, or none. */
export type Segment = {
  readonly plan: ObjectPlan
  /** By object; null for one whose text may change. */
  readonly texts: WeakMap<object, string | null> | null
  /** By frozen list of such objects; used if the segment is the whole plan. */
  readonly lists: WeakMap<object, string>
}

/**
 * Keeps the JSON of parts of frozen objects that are written from properties alone, by plan and object: a method of a cached list, and
 * the id and amount of a cached link, have the same JSON in every response. Texts are garbage-collected with their object.
 */
export class StaticTexts {
  readonly #uses = new WeakMap<ObjectPlan, { count: number }>()
  readonly #segments = new Map<ObjectPlan, readonly Segment[]>()
  /** Plans without a static field. */
  readonly #without = new WeakSet<ObjectPlan>()
  #characters = 0

  /** Returns the segments of a plan; null if it has no static field, or has not been executed often enough. */
  segmentsOf(plan: ObjectPlan): readonly Segment[] | null {
    const known = this.#segments.get(plan)
    if (known !== undefined) return known
    if (this.#without.has(plan)) return null
    const uses = this.#uses.get(plan) ?? { count: 0 }
    this.#uses.set(plan, uses)
    uses.count += 1
    if (uses.count < MIN_USES) return null
    const segments = segmentsIn(plan)
    if (segments.every(({ texts }) => texts === null)) {
      this.#without.add(plan)
      return null
    }
    this.#segments.set(plan, segments)
    for (const oldest of this.#segments.keys()) {
      if (this.#segments.size <= MAX_PLANS) break
      this.#segments.delete(oldest)
      this.#uses.delete(oldest)
    }
    return segments
  }

  /** Keeps the text of a segment of an object, if it cannot change. */
  keep({ plan, texts }: Segment, value: object, text: string): void {
    if (!areStatic(plan.fields, value)) return void texts?.set(value, null)
    texts?.set(value, inOnePiece(text))
    this.#count(text)
  }

  /** Returns the kept text of a frozen list of objects with this plan; undefined if there is none. */
  listText(plan: ObjectPlan, list: readonly unknown[]): string | undefined {
    return this.#wholeOf(plan)?.lists.get(list)
  }

  /** Keeps the text of a frozen list of objects with this plan, if the whole text of each is kept. */
  keepList(plan: ObjectPlan, list: readonly unknown[], text: string): void {
    const whole = this.#wholeOf(plan)
    if (whole === null || !Object.isFrozen(list)) return
    if (!list.every((item) => typeof item === 'object' && item !== null && whole.texts?.get(item) != null)) return
    whole.lists.set(list, inOnePiece(text))
    this.#count(text)
  }

  /** Returns the segment that is the whole of a plan with static fields only. */
  #wholeOf(plan: ObjectPlan): Segment | null {
    const [whole, second] = this.#segments.get(plan) ?? []
    return whole === undefined || whole.texts === null || second !== undefined ? null : whole
  }

  #count(text: string): void {
    this.#characters += text.length
    if (this.#characters <= MAX_CHARACTERS) return
    this.#characters = 0
    this.#segments.clear()
  }
}

/** V8 joins the parts of a text when a character is read; it would join the same parts again for each response. */
function inOnePiece(text: string): string {
  return text.charCodeAt(0) === 0 ? '' : text
}

function segmentsIn({ labels, fields }: ObjectPlan): Segment[] {
  const segments: Segment[] = []
  for (const [index, field] of fields.entries()) {
    const isStatic = field.readsOf !== null
    const last = segments.at(-1)
    const before = last !== undefined && (last.texts !== null) === isStatic ? last.plan : null
    const plan = {
      labels: [...(before?.labels ?? []), labels[index] ?? ''],
      fields: [...(before?.fields ?? []), field],
      end: '',
    }
    segments.splice(before === null ? segments.length : -1, 1, {
      plan,
      texts: isStatic ? new WeakMap() : null,
      lists: new WeakMap(),
    })
  }
  return segments
}

/** Returns whether the properties from which these fields of a frozen object are written cannot change. */
function areStatic(fields: readonly FieldPlan[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return false
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  return fields.every(({ readsOf }) => readsOf?.(value) === true)
}

/** Returns the check of whether a field of a frozen object is its property of this name, whose value cannot change. */
export function readsLeaf(name: string): (value: object) => boolean {
  return (value) => {
    const property: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
    if (property === undefined) return !(name in value)
    return property === null || (typeof property !== 'object' && typeof property !== 'function')
  }
}

/** Returns the check for a resolver that reads these properties, and others if one of them is missing or null. */
export function readsProperties(names: readonly string[]): (value: object) => boolean {
  return (value) =>
    names.every((name) => {
      const property: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
      return property !== undefined && property !== null && readsLeaf(name)(value)
    })
}

/** Returns the check for an object in a property, all of whose selected fields have to be static. `planOf` is called when needed. */
export function readsObject(name: string, planOf: () => ObjectPlan): (value: object) => boolean {
  return (value) => {
    const property: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
    return property === null || areStatic(planOf().fields, property)
  }
}
