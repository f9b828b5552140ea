import {
  getVariableValues,
  type GraphQLError,
  OperationTypeNode,
  parse,
  validate,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import { expect } from 'vitest'
import type { Execute, ExecutableOperation } from '../src/index.ts'

/** Returns the operation of a text, which may spread `CatParts`; null if it is not valid. */
export function executable(
  schema: GraphQLSchema,
  text: string,
  values: Readonly<Record<string, unknown>>,
): ExecutableOperation | null {
  const document = parse(
    `${text} ${text.includes('... CatParts') ? 'fragment CatParts on Cat { id next { id ... on Cat { lives } } }' : ''}`,
  )
  // Errors about unused variables do not matter here.
  const mistakes = validate(schema, document).filter(({ message }) => !message.includes('is never used'))
  if (mistakes.length > 0) return null
  const node = document.definitions[0] as OperationDefinitionNode
  const { coerced } = getVariableValues(schema, node.variableDefinitions ?? [], values)
  return coerced === undefined ? null : { document, node, variables: coerced, request: { variables: values } }
}

/** Returns the result of an execution; errors as texts, in an order of their own. */
export async function result(execute: Execute, operation: ExecutableOperation) {
  const root =
    operation.node.operation === OperationTypeNode.SUBSCRIPTION
      ? { cat: { place: 'item', kind: 'Cat', id: 'i' } }
      : undefined
  const { data, errors } = await execute(operation, {}, root)
  return { data, errors: [...new Set(errors.map((error) => settled(error, JSON.parse(data))))].sort() }
}

/**
 * Returns an error as text, and checks that the value at its path is null. If a value above is null, returns only the path of that value:
 * which of several errors below it is reported depends on which occurred first.
 */
function settled({ message, path = [], locations, extensions }: GraphQLError, data: unknown): string {
  let value = data
  for (const [depth, key] of path.entries()) {
    if (value === null) return `below ${path.slice(0, depth).join('.')}`
    value = (value as Record<string | number, unknown>)[key]
  }
  expect(value).toBeNull()
  return JSON.stringify({ message, path, locations, extensions })
}
