import { ExactNumber } from '../../lib/exact-json.ts'
import type { ExactJson } from '../../lib/exact-json.ts'

export type JsonObject = { [key: string]: ExactJson }

/** Problems by field name, as a 422 response carries them (gap sheet, section 1, form A). */
export type Problems = Record<string, string>

/** Reads the fields of a request body and records every problem under the field's name; nested names are joined with a dot. */
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

  /** The names of the present fields; null counts as absent. */
  get names(): string[] {
    return Object.keys(this.#values).filter((name) => this.optional(name) !== undefined)
  }

  /** Records a problem; the first problem of a field is kept. */
  fail(name: string, problem: string): void {
    this.problems[`${this.#prefix}${name}`] ??= problem
  }

  /** Returns the value of an optional field; null counts as absent. */
  optional(name: string): ExactJson | undefined {
    return (Object.hasOwn(this.#values, name) ? this.#values[name] : undefined) ?? undefined
  }

  /** Returns the value of a required field; undefined, with a problem recorded, when it is missing. */
  required(name: string): ExactJson | undefined {
    const value = this.optional(name)
    if (value === undefined) this.fail(name, "can't be blank")
    return value
  }

  /** Returns a required non-blank text; empty, with a problem recorded, when it is missing. */
  text(name: string): string {
    const value = this.required(name)
    if (value === undefined) return ''
    if (typeof value !== 'string') this.fail(name, 'must be a string')
    else if (value.trim() === '') this.fail(name, "can't be blank")
    else return value
    return ''
  }

  /** Returns an optional text. */
  optionalText(name: string): string | undefined {
    const value = this.optional(name)
    if (value === undefined || typeof value === 'string') return value
    this.fail(name, 'must be a string')
    return undefined
  }

  /** Returns the fields of a required object. */
  requiredObject(name: string): Fields | undefined {
    return this.required(name) === undefined ? undefined : this.optionalObject(name)
  }

  /** Returns the fields of an optional object. */
  optionalObject(name: string): Fields | undefined {
    const value = this.optional(name)
    if (value === undefined) return undefined
    if (isJsonObject(value)) return new Fields(value, this.problems, `${this.#prefix}${name}.`)
    this.fail(name, 'must be an object')
    return undefined
  }

  /** Returns the fields of each object of a required non-empty list; the field names include the list index. */
  requiredObjects(name: string): Fields[] {
    const values = this.required(name)
    if (values === undefined) return []
    const objects = Array.isArray(values) ? values.filter(isJsonObject) : []
    if (Array.isArray(values) && values.length === 0) this.fail(name, "can't be blank")
    else if (!Array.isArray(values) || objects.length < values.length) this.fail(name, 'must be a list of objects')
    return objects.map((value, index) => new Fields(value, this.problems, `${this.#prefix}${name}.${index}.`))
  }
}

/** Joins all problems into one sentence, for responses with a single message (gap sheet, section 1, form B). */
export function problemText(problems: Problems): string {
  return Object.entries(problems)
    .map(([field, problem]) => `${field} ${problem}`)
    .join(', ')
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: ExactJson): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** Whether a text is an absolute http or https URL. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//i.test(text)
}
