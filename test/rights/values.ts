import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isInputType,
  Kind,
  typeFromAST,
  visit,
  type GraphQLInputType,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql'
import type { Ask } from './asks.ts'
import { schema } from './selection.ts'

/** Returns values for the variables of an operation: those of an `Ask` for the same root field, or else values of the required types. */
export function valuesFor(node: OperationDefinitionNode, asks: readonly Ask[]): Readonly<Record<string, unknown>> {
  const known = knownValues(node, asks)
  return Object.fromEntries(
    (node.variableDefinitions ?? []).flatMap((definition) => {
      const name = definition.variable.name.value
      const value = known.get(name) ?? requiredValue(definition)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Returns the argument values of the first `Ask` for a root field, by the variable in their place. */
function knownValues(node: OperationDefinitionNode, asks: readonly Ask[]): ReadonlyMap<string, unknown> {
  const root = schema.getRootType(node.operation)?.name ?? ''
  const values = new Map<string, unknown>()
  visit(node.selectionSet, {
    Field(field) {
      const ask = asks.find(({ coordinate }) => coordinate === `${root}.${field.name.value}`)
      for (const { name, value } of field.arguments ?? []) {
        if (value.kind !== Kind.VARIABLE || ask === undefined) continue
        values.set(value.name.value, { ...ask.variables, statusToken: ask.statusToken }[name.value])
      }
    },
  })
  return values
}

function requiredValue({ type, defaultValue }: VariableDefinitionNode): unknown {
  const declared = typeFromAST(schema, type)
  const isRequired = isNonNullType(declared) && defaultValue === undefined
  return isRequired && isInputType(declared) ? valueOf(declared) : undefined
}

function valueOf(type: GraphQLInputType): unknown {
  const bare = getNullableType(type)
  if (isListType(bare)) return [valueOf(bare.ofType)]
  if (isEnumType(bare)) return bare.getValues()[0]?.name
  if (isInputObjectType(bare)) {
    const needed = Object.values(bare.getFields()).filter(({ type: field }) => isNonNullType(field))
    return Object.fromEntries(needed.map((field) => [field.name, valueOf(field.type)]))
  }
  return { Int: 3, Boolean: true, CurrencyCode: 'AUD' }[String(bare)] ?? '12'
}
