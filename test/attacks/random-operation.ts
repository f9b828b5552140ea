import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'
import type { Random } from '../faults/random.ts'
import { FRAGMENT_SHAPES, fragmentsAround, type FragmentShape } from './random-fragments.ts'

/** An operation that is most likely valid for the schema. */
export type RandomOperation = { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }

type Writer = {
  readonly schema: GraphQLSchema
  readonly random: Random
  readonly variables: { readonly name: string; readonly type: string; readonly value: unknown }[]
  /** Fragments that the operation spreads. */
  readonly definitions: string[]
  /** Probability that a selection is written as fragments. */
  readonly spreads: number
}

/** Returns one of the items with equal probability. Throws if there are none. */
export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  if (items.length === 0) throw new Error('There is nothing to choose from.')
  return items[Math.floor(random() * items.length)] as Item
}

/**
 * Writes an operation for a schema: existing fields, fitting arguments, some of them as variables. `spreads` is the probability that a
 * selection is written as fragments that spread each other, and not in place.
 */
export function randomOperation(schema: GraphQLSchema, random: Random, spreads = 0): RandomOperation {
  const kind = oneOf(random, ['query', 'query', 'query', 'query', 'query', 'query', 'mutation', 'subscription'])
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }
  const root = roots[kind as keyof typeof roots]
  if (root === null || root === undefined) throw new Error(`The schema has no ${kind}.`)
  const writer: Writer = { schema, random, variables: [], definitions: [], spreads }
  return written(writer, `${kind} Q`, selectionSet(writer, root, kind === 'query' ? 3 : 1, 5))
}

/** Returns a query of one field (`root`, or a random one), whose result is selected by fragments of a shape around a few leaves. */
export function fragmentedQuery(
  schema: GraphQLSchema,
  random: Random,
  { shape, root }: { readonly shape: FragmentShape; readonly root?: string | undefined },
): RandomOperation {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  const composite = fields.filter(({ type }) => isCompositeType(getNamedType(type)))
  const field = composite.find(({ name }) => name === root) ?? oneOf(random, composite)
  const writer: Writer = { schema, random, variables: [], definitions: [], spreads: 0 }
  const arguments_ = argumentsOf(writer, field.args.filter(isRequired))
  const inner = leavesBehind(writer, getNamedType(field.type), shape)
  return written(writer, 'query Q', `{ ${field.name}${arguments_} ${inner} }`)
}

/** Returns the selection of a type, or of one of its fields' types, as fragments around leaves without arguments. */
function leavesBehind(writer: Writer, type: GraphQLNamedType, shape: FragmentShape): string {
  const fields = 'getFields' in type && !isInputObjectType(type) ? Object.values(type.getFields()) : []
  const free = fields.filter(({ args }) => args.length === 0)
  const further = free.filter((field) => isCompositeType(getNamedType(field.type)))
  if (further.length > 0 && writer.random() < 0.5) {
    const field = oneOf(writer.random, further)
    return `{ ${field.name} ${leavesBehind(writer, getNamedType(field.type), shape)} }`
  }
  const leaves = free.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name)
  const leaf = ['__typename', ...leaves].filter(() => writer.random() < 0.3).join(' ') || '__typename'
  return spread(writer, type, `{ ${leaf} }`, shape)
}

function spread({ random, definitions }: Writer, type: GraphQLNamedType, leaf: string, shape: FragmentShape): string {
  const prefix = `F${definitions.length}_`
  const fragments = fragmentsAround(random, { type: type.name, leaf, shape, prefix })
  definitions.push(...fragments.definitions)
  return fragments.selection
}

function written({ variables, definitions }: Writer, head: string, body: string): RandomOperation {
  const declared = variables.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  return {
    query: [`${head}${declared === '' ? '' : `(${declared})`} ${body}`, ...definitions].join('\n'),
    variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
  }
}

function selectionSet(writer: Writer, type: GraphQLNamedType, most: number, depth: number): string {
  const plain = plainSelection(writer, type, most, depth)
  // Two fragment graphs would exceed the token limit of an operation.
  if (writer.spreads === 0 || writer.definitions.length > 0 || writer.random() >= writer.spreads) return plain
  return spread(writer, type, plain, oneOf(writer.random, FRAGMENT_SHAPES))
}

function plainSelection(writer: Writer, type: GraphQLNamedType, most: number, depth: number): string {
  const { schema, random } = writer
  if (isAbstractType(type)) {
    const members = schema.getPossibleTypes(type).filter(() => random() < 0.3)
    return `{ __typename ${members.map((member) => `... on ${member.name} ${selectionSet(writer, member, 3, depth - 1)}`).join(' ')} }`
  }
  if (!isObjectType(type)) throw new Error(`${type.name} has no fields.`)
  const fields = Object.values(type.getFields()).filter(
    (field) => !field.name.startsWith('_') && (depth > 1 || !isCompositeType(getNamedType(field.type))),
  )
  const count = 1 + Math.floor(random() * most)
  const chosen = fields.length === 0 ? [] : Array.from({ length: count }, () => oneOf(random, fields))
  const selections = [...new Set(chosen)].map((field) => {
    const named = getNamedType(field.type)
    const inner = isCompositeType(named) ? ` ${selectionSet(writer, named, 4, depth - 1)}` : ''
    const alias = random() < 0.1 ? `a${Math.floor(random() * 100)}: ` : ''
    return `${alias}${field.name}${argumentsOf(writer, field.args)}${directive(random)}${inner}`
  })
  return `{ ${selections.length === 0 ? '__typename' : selections.join(' ')} }`
}

function directive(random: Random): string {
  return random() < 0.03 ? ` @${oneOf(random, ['include', 'skip'])}(if: ${random() < 0.5})` : ''
}

function argumentsOf(writer: Writer, args: readonly GraphQLArgument[]): string {
  const given = args.filter(
    ({ type, defaultValue }) => (isNonNullType(type) && defaultValue === undefined) || writer.random() < 0.4,
  )
  if (given.length === 0) return ''
  return `(${given.map((argument) => `${argument.name}: ${argumentValue(writer, argument)}`).join(', ')})`
}

function argumentValue(writer: Writer, argument: GraphQLArgument): string {
  const value = randomValue(writer, argument.type, 3)
  if (writer.random() > 0.4) return literal(value, argument.type)
  const name = `v${writer.variables.length}`
  writer.variables.push({ name, type: String(argument.type), value })
  return `$${name}`
}

const TEXTS = [
  ['', 'a', 'au_card_aud', 'AUD', '2026-01-01', '2026-01-01T00:00:00.000Z', '12.50', '-1', 'é\u0000"\\', '٣'],
  ['null', '{}', 'https://example.test/'],
].flat()

/** Returns a value that the type accepts, or is likely to accept. */
function randomValue(writer: Writer, type: GraphQLInputType, depth: number): unknown {
  const { random } = writer
  if (isNonNullType(type)) return randomValue(writer, type.ofType, depth)
  if (isListType(type)) {
    return Array.from({ length: Math.floor(random() * 3) }, () => randomValue(writer, type.ofType, depth))
  }
  if (isEnumType(type)) return oneOf(random, type.getValues()).name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => isRequired(field) || (depth > 0 && random() < 0.4))
    return Object.fromEntries(fields.map((field) => [field.name, randomValue(writer, field.type, depth - 1)]))
  }
  const scalars: Readonly<Record<string, () => unknown>> = {
    Int: () => oneOf(random, [0, 1, 5, 20, 100, 101, -1, 2_147_483_647]),
    Float: () => oneOf(random, [0.5, -1, 1e300]),
    Boolean: () => random() < 0.5,
    CurrencyCode: () => oneOf(random, ['AUD', 'JPY', 'XXX']),
    LocalDate: () => oneOf(random, ['2026-01-01', '2026-02-28', '0001-01-01']),
    DateTime: () => oneOf(random, ['2026-01-01T00:00:00.000Z', '9999-12-31T23:59:59Z']),
    Decimal: () => oneOf(random, ['1', '12.50', '0.001', '999999999999999']),
    HttpsUrl: () => 'https://example.test/back',
    JSONObject: () => ({ bsb: '062000', nested: { list: [1, null] } }),
  }
  return scalars[type.name]?.() ?? oneOf(random, TEXTS)
}

function isRequired({ type, defaultValue }: GraphQLInputField | GraphQLArgument): boolean {
  return isNonNullType(type) && defaultValue === undefined
}

function literal(value: unknown, type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(value, type.ofType)
  if (isListType(type) && Array.isArray(value)) return `[${value.map((item) => literal(item, type.ofType)).join(', ')}]`
  if (isEnumType(type)) return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const fields = isInputObjectType(type) ? type.getFields() : {}
  const parts = Object.entries(value).map(([name, item]: [string, unknown]) => {
    const field = fields[name]
    return `${name}: ${field === undefined ? untyped(item) : literal(item, field.type)}`
  })
  return `{${parts.join(', ')}}`
}

function untyped(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(untyped).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, item]) => `${name}: ${untyped(item)}`)
    .join(', ')}}`
}
