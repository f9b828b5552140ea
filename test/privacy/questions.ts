import { readFileSync } from 'node:fs'
import {
  buildASTSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  parse,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql'
import type { Canaries } from './canaries.ts'

export type Question = readonly [query: string, variables: Record<string, unknown>]

const PLAIN: Readonly<Record<string, unknown>> = {
  CurrencyCode: 'AUD',
  LocalDate: '2026-01-31',
  DateTime: '2026-01-31T00:00:00.000Z',
  Decimal: '1.5',
  Int: 1,
  Boolean: false,
}

/**
 * Returns every query of the schema twice: with a canary as each identifier and text, so that it is executed; and with a canary as each
 * value of any type, so that it is rejected.
 */
export function questionsFullOf(canaries: Canaries): Question[] {
  const schema = buildASTSchema(parse(readFileSync('schema.graphql', 'utf8')), { assumeValid: true })
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  return fields.flatMap(({ name, args, type }): Question[] => {
    const declared = args.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', ')
    const given = args.map((argument) => `${argument.name}: $${argument.name}`).join(', ')
    const selection = isCompositeType(getNamedType(type)) ? '{ __typename }' : ''
    const query =
      args.length === 0 ? `{ ${name} ${selection} }` : `query Q(${declared}) { ${name}(${given}) ${selection} }`
    const variables = (plain: boolean) => valuesOf(args, { canaries, plain, place: `query.${name}` })
    return [
      [query, variables(true)],
      [query, variables(false)],
    ]
  })
}

type Filling = { readonly canaries: Canaries; readonly plain: boolean; readonly place: string }

function valuesOf(args: readonly Pick<GraphQLArgument, 'name' | 'type'>[], filling: Filling): Record<string, unknown> {
  return Object.fromEntries(
    args.map(({ name, type }) => [name, valueOf(type, { ...filling, place: `${filling.place}.${name}` })]),
  )
}

function valueOf(type: GraphQLInputType, filling: Filling): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType, filling)
  if (isListType(type)) return [valueOf(type.ofType, filling)]
  if (isInputObjectType(type)) return valuesOf(Object.values(type.getFields()), filling)
  const { canaries, plain, place } = filling
  if (plain && isEnumType(type)) return type.getValues()[0]?.name
  return plain && type.name in PLAIN ? PLAIN[type.name] : canaries.word(place)
}
