import {
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isListType,
  type GraphQLArgument,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'

/** The length of a list according to `@listSize`. */
export type ListSize = {
  readonly assumedSize: number | null
  readonly slicingArguments: readonly string[]
  /** If the field returns a page: the fields of its type that are the lists of the page. */
  readonly sizedFields: ReadonlySet<string>
}

/** The schema's `@cost` and `@listSize` directives. https://ibm.github.io/graphql-specs/cost-spec.html */
export type SchemaCosts = {
  /** Returns the weight of one call of a field, independent of the length of its list. */
  readonly weightOf: (field: GraphQLField<unknown, unknown>) => number
  /** Returns the weight of one item of a field's value, without its selection set. */
  readonly itemWeightOf: (field: GraphQLField<unknown, unknown>) => number
  /** Returns the size of a field's list. Throws if `@listSize` names an argument that the field does not have. */
  readonly listSizeOf: (field: GraphQLField<unknown, unknown>) => ListSize | null
  /** Returns the weight of a value of an argument. */
  readonly weightOfValue: (argument: GraphQLArgument, value: unknown) => number
  /** Returns whether every value of an argument has the weight 0. */
  readonly isFree: (argument: GraphQLArgument) => boolean
}

/** Creates the reader of a schema's cost directives. */
export function readSchemaCosts(schema: GraphQLSchema): SchemaCosts {
  const cost = directiveOf(schema, 'cost')
  const listSize = directiveOf(schema, 'listSize')
  const own = (node: Annotated): number | null => {
    const weight = directiveValues(cost, node)?.['weight']
    return typeof weight === 'number' ? weight : null
  }
  const ofType = (type: GraphQLNamedType): number => own(type) ?? (isCompositeType(type) ? 1 : 0)
  const ofInput = (input: Input): number =>
    own(input) ?? own(getNamedType(input.type)) ?? (isInputObjectType(getNamedType(input.type)) ? 1 : 0)
  const inputCosts = remembered((input: Input) => {
    const type = getNamedType(input.type)
    return { weight: ofInput(input), fields: isInputObjectType(type) ? type.getFields() : null }
  })

  const weightOfValue = (input: Input, value: unknown): number => {
    if (value === null || value === undefined) return 0
    if (Array.isArray(value)) return value.reduce<number>((total, item) => total + weightOfValue(input, item), 0)
    const { weight, fields } = inputCosts(input)
    if (fields === null || typeof value !== 'object') return weight
    return Object.entries(value).reduce((total, [name, item]) => {
      const field = fields[name]
      return field === undefined ? total : total + weightOfValue(field, item)
    }, weight)
  }

  return {
    weightOf: remembered((field) => own(field) ?? 0),
    itemWeightOf: remembered((field) => ofType(getNamedType(field.type))),
    listSizeOf: remembered((field) => readListSize(field, directiveValues(listSize, field))),
    weightOfValue,
    isFree: (argument) => {
      const { weight, fields } = inputCosts(argument)
      return weight === 0 && fields === null
    },
  }
}

type Input = GraphQLArgument | GraphQLInputField
type Annotated = GraphQLField<unknown, unknown> | Input | GraphQLNamedType

/** Returns the directive with this name. Federation may add a prefix to the name of an imported directive. */
function directiveOf(schema: GraphQLSchema, name: string): GraphQLDirective | null {
  return schema.getDirectives().find((candidate) => candidate.name.replace(/^.*__/, '') === name) ?? null
}

function directiveValues(directive: GraphQLDirective | null, { astNode }: Annotated) {
  return directive === null || astNode === undefined || astNode === null
    ? undefined
    : getDirectiveValues(directive, astNode)
}

function readListSize(
  field: GraphQLField<unknown, unknown>,
  values: Readonly<Record<string, unknown>> | undefined,
): ListSize | null {
  if (values === undefined) return null
  const slicingArguments = namesIn(values['slicingArguments'])
  const unknown = slicingArguments.find((name) => !field.args.some((argument) => argument.name === name))
  if (unknown !== undefined)
    throw new Error(`The schema slices ${field.name} by ${unknown}, which is no argument of it.`)
  const assumed = values['assumedSize']
  return {
    assumedSize: typeof assumed === 'number' ? assumed : null,
    slicingArguments,
    sizedFields: new Set(namesIn(values['sizedFields'])),
  }
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

/** Returns whether a field's type is a list, nullable or not. */
export function givesList(field: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(field.type))
}

/** Keeps what `make` returns for each object, until the end of the process. */
function remembered<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}
