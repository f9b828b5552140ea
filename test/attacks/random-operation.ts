import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
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

/** An operation that is most likely valid for the schema. */
export type RandomOperation = { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }

type Writer = {
  readonly schema: GraphQLSchema
  readonly random: Random
  readonly variables: { readonly name: string; readonly type: string; readonly value: unknown }[]
}

/** Returns one of the items with equal probability. Throws if there are none. */
export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  if (items.length === 0) throw new Error('There is nothing to choose from.')
  return items[Math.floor(random() * items.length)] as Item
}

/** Writes an operation for a schema: existing fields, fitting arguments, some of them as variables. */
export function randomOperation(schema: GraphQLSchema, random: Random): RandomOperation {
  const kind = oneOf(random, ['query', 'query', 'query', 'query', 'query', 'query', 'mutation', 'subscription'])
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }
  const root = roots[kind as keyof typeof roots]
  if (root === null || root === undefined) throw new Error(`The schema has no ${kind}.`)
  const writer: Writer = { schema, random, variables: [] }
  const body = selectionSet(writer, root, kind === 'query' ? 3 : 1, 5)
  const declared = writer.variables.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  return {
    query: `${kind} Q${declared === '' ? '' : `(${declared})`} ${body}`,
    variables: Object.fromEntries(writer.variables.map(({ name, value }) => [name, value])),
  }
}

function selectionSet(writer: Writer, type: GraphQLNamedType, most: number, depth: number): string {
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
