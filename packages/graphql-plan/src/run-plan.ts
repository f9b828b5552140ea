import {
  type FieldNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  locatedError,
} from 'graphql'

/** Position of a value in the response, compared by identity. */
export type Path = { readonly prev: Path | undefined; readonly key: string | number }

/** A part of the response as JSON, or a promise of it. */
export type Text = string | Promise<string>

/** The JSON of null. */
export const NULL = 'null'

export type Arguments = Readonly<Record<string, unknown>>

/** One execution of an operation. */
export class Run {
  readonly context: unknown
  readonly variables: Arguments
  readonly rootValue: unknown
  readonly errors: GraphQLError[] = []
  /** By the numbers that the plan assigns: the `info` of resolvers, and the arguments that depend on variables. */
  readonly infos: GraphQLResolveInfo[] = []
  readonly args: Arguments[] = []
  #failed: Set<Path | undefined> | null = null

  constructor(context: unknown, variables: Arguments, rootValue: unknown) {
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

/** Returns a resolved value as JSON; throws or rejects if it is invalid. */
export type Complete = (run: Run, value: unknown, path: Path | undefined) => Text

/** Plan of one field of an object. */
export type FieldPlan = {
  /** Its name in the response. */
  readonly key: string
  /** Type and name in the schema, as in `Cat.name`. */
  readonly coordinate: string
  readonly nodes: readonly FieldNode[]
  readonly nonNull: boolean
  /** Whether its type is a scalar or an enum, also if it is non-null. */
  readonly isLeaf: boolean
  /** Returns the field's value for a source, or a promise of it. */
  readonly resolve: (run: Run, source: unknown) => unknown
  /** The `info` argument of the resolver. */
  readonly infoFor: (run: Run) => GraphQLResolveInfo
  readonly complete: Complete
  /** Returns the plan of an object that is the field's value. */
  readonly planOf: (type: GraphQLObjectType) => ObjectPlan
}

/** The constant parts of an object's response: a label before each field, and the end. */
export type ObjectPlan = {
  readonly labels: readonly string[]
  readonly fields: readonly FieldPlan[]
  readonly end: string
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
