import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql'
import { createSchema } from '../../src/graphql/schema/schema.ts'

/** The schema as the app creates it, with the fields that federation adds. */
export const schema = createSchema({ production: false })

/** A field of a document, with everything selected below it. */
export type Selected = {
  readonly name: string
  /** The coordinate `Type.field`. */
  readonly coordinate: string
  readonly text: string
  readonly below: Selection | null
}

/** The selected fields by possible type; a type that was selected before has none. */
export type Selection = ReadonlyMap<string, readonly Selected[]>

/** A root field with its arguments, and the depth of its selection. */
export type RootField = {
  readonly coordinate: string
  readonly variables: Readonly<Record<string, unknown>>
  /** Levels of objects below the root field whose fields are all selected. */
  readonly depth: number
  /** The only selected member of the root field's union. Default: all. */
  readonly member?: string
}

export type Document = { readonly query: string; readonly root: Selected }

/** Arguments of fields that require them, or that limit the size of an answer. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'PayinMethod.accepts': 'amount: { value: "50", currency: "AUD" }',
  'PaymentLink.events': 'first: 5',
  'Payment.events': 'first: 5',
  'PaymentAgreement.events': 'first: 5',
  'PaymentPayout.events': 'first: 5',
  'GatewayPayment.events': 'first: 5',
}

/** Types that cost much, by the deepest level at which their fields are selected. */
const NEAR: Readonly<Record<string, number>> = { PayoutMethod: 2 }

/** The documents so far: thousands of operations, of all callers and with all ids, have a hundred of them. */
const documents = new Map<string, Document>()

/** Returns the document that selects every field of every type below a root field, each type at its first occurrence. */
export function documentFor(root: RootField): Document {
  const { coordinate, variables, depth, member } = root
  const key = JSON.stringify([coordinate, Object.keys(variables), depth, member])
  const known = documents.get(key) ?? newDocument(root)
  documents.set(key, known)
  return known
}

function newDocument({ coordinate, variables, depth, member }: RootField): Document {
  const [operation = '', name = ''] = coordinate.split('.')
  const field = fieldOf(operation, name)
  const given = field.args.filter((argument) => argument.name in variables)
  const declared = given.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', ')
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ')
  const below = expanded(getNamedType(field.type), depth, member)
  const text = `${name}${passed === '' ? '' : `(${passed})`}`
  const root = { name, coordinate, text, below }
  const head = declared === '' ? operation.toLowerCase() : `${operation.toLowerCase()} Ask(${declared})`
  return { query: `${head} { ${written(root)} }`, root }
}

/** Returns every field of every object type as `Type.field`, without introspection. */
export function everyCoordinate(): string[] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const own = types.filter(({ name }) => !name.startsWith('__'))
  return own.flatMap((type) => fieldsOf(type).map(({ name }) => `${type.name}.${name}`))
}

/** Returns a field of the schema. Throws if it does not exist. */
export function fieldOf(typeName: string, name: string): Pick<GraphQLField<unknown, unknown>, 'args' | 'type'> {
  const type = schema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[name] : undefined
  if (field === undefined) throw new Error(`The schema has no ${typeName}.${name}.`)
  return field
}

type Pending = { readonly type: GraphQLNamedType; readonly selection: Map<string, Selected[]>; readonly level: number }

/** Breadth first: each type is expanded where the path to it is shortest. */
function expanded(start: GraphQLNamedType, depth: number, member?: string): Selection | null {
  if (isLeafType(start)) return null
  const first: Pending = { type: start, selection: new Map(), level: 0 }
  const met = new Set<string>()
  const pending = [first]
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (next.level >= depth) continue
    for (const type of objectsOf(next.type)) {
      if (next.level > (NEAR[type.name] ?? depth)) continue
      if (met.has(type.name) || (next === first && member !== undefined && type.name !== member)) continue
      met.add(type.name)
      const fields = fieldsOf(type).map((field) => selected(type, field))
      next.selection.set(
        type.name,
        fields.map(({ field }) => field),
      )
      for (const { below, holds } of fields)
        if (below !== null) pending.push({ type: holds, selection: below, level: next.level + 1 })
    }
  }
  return first.selection
}

function selected(type: GraphQLObjectType, { name, args, type: answers }: GraphQLField<unknown, unknown>) {
  const coordinate = `${type.name}.${name}`
  const argument = ARGUMENTS[coordinate]
  if (argument === undefined && args.some(isRequiredArgument))
    throw new Error(`${coordinate} has a required argument: give it one.`)
  const holds = getNamedType(answers)
  const below = isLeafType(holds) ? null : new Map<string, Selected[]>()
  const field: Selected = { name, coordinate, text: argument === undefined ? name : `${name}(${argument})`, below }
  return { field, below, holds }
}

function objectsOf(type: GraphQLNamedType): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type]
  if (isAbstractType(type)) return schema.getPossibleTypes(type)
  throw new Error(`${type.name} holds no fields.`)
}

function fieldsOf(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields())
}

function written({ text, below }: Selected): string {
  return below === null ? text : `${text} { __typename ${parts(below)} }`
}

function parts(selection: Selection): string {
  return [...selection].map(([type, fields]) => `... on ${type} { ${fields.map(written).join(' ')} }`).join(' ')
}
