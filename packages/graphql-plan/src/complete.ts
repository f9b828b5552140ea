import {
  defaultTypeResolver,
  getNullableType,
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  GraphQLString,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLList,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql'
import {
  type Complete,
  failed,
  type FieldPlan,
  isPromise,
  NULL,
  type ObjectPlan,
  recovered,
  type Path,
  type Run,
  type Text,
} from './run-plan.ts'

/** Executes the fields of one object and returns it as JSON. */
export function objectText(
  { labels, fields, end }: ObjectPlan,
  run: Run,
  source: unknown,
  path: Path | undefined,
): Text {
  const parts = new Parts()
  try {
    for (let at = 0; at < fields.length; at += 1)
      parts.add(labels[at] as string, fieldText(fields[at] as FieldPlan, run, source, path))
  } catch (error) {
    return parts.failWith(error)
  }
  return parts.end(end)
}

/** Executes one field of an object and returns its value as JSON. */
export function fieldText(field: FieldPlan, run: Run, source: unknown, prev: Path | undefined): Text {
  const { key, isLeaf, nonNull } = field
  let path: Path | undefined
  try {
    const value = field.resolve(run, source)
    // Most fields are leaves, which need a path for errors only.
    if (!isLeaf) path = { prev, key }
    const text = isPromise(value)
      ? value.then((resolved) => field.complete(run, resolved, path))
      : field.complete(run, value, path)
    return typeof text === 'string' ? text : recovered(text, { field, run, path: path ?? { prev, key }, nonNull })
  } catch (error) {
    return failed({ field, run, path: path ?? { prev, key }, nonNull }, error)
  }
}

/** Returns the function that completes values of a type at a field. */
export function completerOf(type: GraphQLOutputType, field: FieldPlan, schema: GraphQLSchema): Complete {
  const nullable = getNullableType(type)
  const absentText = (): string => {
    if (isNonNullType(type)) throw new Error(`Cannot return null for non-nullable field ${field.coordinate}.`)
    return NULL
  }
  if (isLeafType(nullable)) return leafCompleter(nullable, absentText)
  const complete = presentCompleter(nullable, field, schema)
  return (run, value, path) => {
    if (value === null || value === undefined) return absentText()
    if (value instanceof Error) throw value
    return complete(run, value, path)
  }
}

function presentCompleter(
  type: GraphQLAbstractType | GraphQLObjectType | GraphQLList<GraphQLOutputType>,
  field: FieldPlan,
  schema: GraphQLSchema,
): Complete {
  if (isListType(type)) return listCompleter(type.ofType, field, schema)
  if (isAbstractType(type)) return abstractCompleter(type, field, schema)
  return objectCompleter(type, field)
}

function leafCompleter(type: GraphQLLeafType, absentText: () => string): Complete {
  const leafText = (value: unknown): string => {
    if (value === null || value === undefined) return absentText()
    if (value instanceof Error) throw value
    const result: unknown = type.serialize(value)
    if (result === null || result === undefined) throw new Error(`${type.name} serialised a value to nothing.`)
    // As within an object, where what has no JSON is null.
    return typeof result === 'string' ? stringText(result) : (JSON.stringify(result) ?? NULL)
  }
  if (type === GraphQLString || type === GraphQLID)
    return (_run, value) => (typeof value === 'string' ? stringText(value) : leafText(value))
  if (type === GraphQLBoolean) return (_run, value) => (typeof value === 'boolean' ? String(value) : leafText(value))
  if (!isEnumType(type)) return (_run, value) => leafText(value)
  const texts = new Map(type.getValues().map(({ name, value }) => [value as unknown, `"${name}"`]))
  // Absent, also if a name stands for it.
  texts.delete(null)
  return (_run, value) => texts.get(value) ?? leafText(value)
}

function listCompleter(itemType: GraphQLOutputType, field: FieldPlan, schema: GraphQLSchema): Complete {
  const complete = completerOf(itemType, field, schema)
  const nonNull = isNonNullType(itemType)
  const itemText = (run: Run, item: unknown, path: Path): Text => {
    try {
      const text = isPromise(item) ? item.then((value) => complete(run, value, path)) : complete(run, item, path)
      return typeof text === 'string' ? text : recovered(text, { field, run, path, nonNull })
    } catch (error) {
      return failed({ field, run, path, nonNull }, error)
    }
  }
  return (run, value, prev) => {
    const items = arrayOf(value, field)
    if (items.length === 0) return '[]'
    const parts = new Parts()
    try {
      for (let key = 0; key < items.length; key += 1)
        parts.add(key === 0 ? '[' : ',', itemText(run, items[key], { prev, key }))
    } catch (error) {
      parts.abandon()
      throw error
    }
    return parts.end(']')
  }
}

function arrayOf(value: unknown, { coordinate }: FieldPlan): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'object' && value !== null && Symbol.iterator in value)
    return Array.from(value as Iterable<unknown>)
  throw new GraphQLError(`Expected Iterable, but did not find one for field "${coordinate}".`)
}

function abstractCompleter(type: GraphQLAbstractType, field: FieldPlan, schema: GraphQLSchema): Complete {
  const resolveType = type.resolveType ?? defaultTypeResolver
  const completers = new Map<unknown, Complete>()
  const newCompleter = (name: unknown): Complete => {
    const runtimeType = typeof name === 'string' ? schema.getType(name) : undefined
    if (!isObjectType(runtimeType) || !schema.isSubType(type, runtimeType))
      throw new GraphQLError(
        `Abstract type "${type.name}" was resolved to a type "${String(name)}" that does not exist inside the schema.`,
      )
    const complete = objectCompleter(runtimeType, field)
    completers.set(name, complete)
    return complete
  }
  const completerFor = (name: unknown): Complete => completers.get(name) ?? newCompleter(name)
  return (run, value, path) => {
    const name = resolveType(value, run.context, field.infoFor(run), type)
    return isPromise(name)
      ? name.then((resolved) => completerFor(resolved)(run, value, path))
      : completerFor(name)(run, value, path)
  }
}

function objectCompleter(type: GraphQLObjectType, field: FieldPlan): Complete {
  let plan: ObjectPlan | null = null
  return (run, value, path) => objectText((plan ??= field.planOf(type)), run, value, path)
}

/** Joins the parts of a text in order; parts may be promises. */
class Parts {
  /** The text before each pending part, and the part; null while no part is pending, as mostly. */
  #pending: { readonly before: string; readonly part: Promise<string> }[] | null = null
  #text = ''

  /** Adds a label and a part. */
  add(label: string, part: Text): void {
    if (typeof part === 'string') this.#text += label + part
    else {
      ;(this.#pending ??= []).push({ before: this.#text + label, part })
      this.#text = ''
    }
  }

  /** Returns the whole text, synchronously if no part is pending. Rejects if a part does. */
  end(last: string): Text {
    const rest = this.#text + last
    const pending = this.#pending
    if (pending === null) return rest
    return Promise.all(pending.map(({ part }) => part)).then(
      (parts) => pending.map(({ before }, index) => before + parts[index]).join('') + rest,
    )
  }

  /** Discards the text; rejections of pending parts are ignored. */
  abandon(): void {
    for (const { part } of this.#pending ?? []) part.catch(ignore)
  }

  /** Throws `reason` if no part is pending. Otherwise rejects with it when all parts are fulfilled or one is rejected. */
  failWith(reason: unknown): Promise<string> {
    if (this.#pending === null) throw reason
    return this.#fail(reason)
  }

  async #fail(reason: unknown): Promise<string> {
    await Promise.all((this.#pending ?? []).map(({ part }) => part)).catch(ignore)
    throw reason
  }
}

/** Ignores the rejection of a discarded part. */
function ignore(): void {}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const FIRST_SURROGATE = 0xd800
/** Above this length `JSON.stringify` is faster. */
const MAX_LENGTH = 64

/** Returns a string as JSON, as `JSON.stringify` does. */
function stringText(value: string): string {
  if (value.length > MAX_LENGTH) return JSON.stringify(value)
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    if (code < FIRST_PRINTABLE || code === QUOTE || code === BACKSLASH || code >= FIRST_SURROGATE)
      return JSON.stringify(value)
  }
  return `"${value}"`
}
