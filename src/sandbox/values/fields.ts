import { ExactNumber } from '../../lib/exact-json.ts'
import type { ExactJson } from '../../lib/exact-json.ts'

export type JsonObject = { [key: string]: ExactJson }

/** Problems by field name, as a 422 answer carries them (gap sheet, section 1, form A). */
export type Problems = Record<string, string>

/** Reads the fields of a request body and notes every problem under the field's name, dotted inside an object. */
export class Fields {
  readonly problems: Problems
  readonly #values: JsonObject
  readonly #prefix: string

  constructor(values: JsonObject, problems: Problems = {}, prefix = '') {
    this.#values = values
    this.problems = problems
    this.#prefix = prefix
  }

  get isClean(): boolean {
    return Object.keys(this.problems).length === 0
  }

  /** The names of the fields that are there; null counts as absent. */
  get names(): string[] {
    return Object.keys(this.#values).filter((name) => this.optional(name) !== undefined)
  }

  /** Notes a problem; the first one of a field stays. */
  fail(name: string, problem: string): void {
    this.problems[`${this.#prefix}${name}`] ??= problem
  }

  /** The value of a field; null counts as absent. */
  optional(name: string): ExactJson | undefined {
    return (Object.hasOwn(this.#values, name) ? this.#values[name] : undefined) ?? undefined
  }

  /** The value of a field that must be there; undefined after noting that it is not. */
  required(name: string): ExactJson | undefined {
    const value = this.optional(name)
    if (value === undefined) this.fail(name, "can't be blank")
    return value
  }

  /** A text that must be there and say something; empty after noting that it does not. */
  text(name: string): string {
    const value = this.required(name)
    if (value === undefined) return ''
    if (typeof value !== 'string') this.fail(name, 'must be a string')
    else if (value.trim() === '') this.fail(name, "can't be blank")
    else return value
    return ''
  }

  /** A text that may be absent. */
  optionalText(name: string): string | undefined {
    const value = this.optional(name)
    if (value === undefined || typeof value === 'string') return value
    this.fail(name, 'must be a string')
    return undefined
  }

  /** The fields of an object that must be there. */
  requiredObject(name: string): Fields | undefined {
    return this.required(name) === undefined ? undefined : this.optionalObject(name)
  }

  /** The fields of an object that may be absent. */
  optionalObject(name: string): Fields | undefined {
    const value = this.optional(name)
    if (value === undefined) return undefined
    if (isJsonObject(value)) return new Fields(value, this.problems, `${this.#prefix}${name}.`)
    this.fail(name, 'must be an object')
    return undefined
  }

  /** The fields of each object of a list that must have one at least; a place in the list is part of the name. */
  requiredObjects(name: string): Fields[] {
    const values = this.required(name)
    if (values === undefined) return []
    const objects = Array.isArray(values) ? values.filter(isJsonObject) : []
    if (Array.isArray(values) && values.length === 0) this.fail(name, "can't be blank")
    else if (!Array.isArray(values) || objects.length < values.length) this.fail(name, 'must be a list of objects')
    return objects.map((value, index) => new Fields(value, this.problems, `${this.#prefix}${name}.${index}.`))
  }
}

/** All problems as one sentence, for answers that have room for one message (gap sheet, section 1, form B). */
export function problemText(problems: Problems): string {
  return Object.entries(problems)
    .map(([field, problem]) => `${field} ${problem}`)
    .join(', ')
}

/** Tells whether a JSON value is an object. */
export function isJsonObject(value: ExactJson): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** Tells whether a text is an absolute http or https address. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//i.test(text)
}
