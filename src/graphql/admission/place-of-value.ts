import { BREAK, type DocumentNode, GraphQLError, isValueNode, Kind, visit } from 'graphql'
import { abridged } from '../error-formatter.ts'

/** Returns the error of a literal with the place of the value, as errors of variables have it: `input.transactions[0].amount`; other errors as they are. */
export function withPlace(error: GraphQLError, document: DocumentNode): GraphQLError {
  const value = error.nodes?.[0]
  if (value === undefined || !isValueNode(value)) return error
  let place = ''
  visit(document, {
    enter(node, ...[, parent, path, ancestors]) {
      if (node !== value) return undefined
      for (const [index, part] of [...ancestors, parent].entries()) {
        if (part !== undefined && 'kind' in part && part.kind === Kind.VARIABLE_DEFINITION)
          place = `$${part.variable.name.value}`
        if (part !== undefined && 'kind' in part && (part.kind === Kind.ARGUMENT || part.kind === Kind.OBJECT_FIELD))
          place += `${place === '' ? '' : '.'}${part.name.value}`
        if (path[index - 1] === 'values') place += `[${path[index]}]`
      }
      return BREAK
    },
  })
  return place === '' ? error : new GraphQLError(`Invalid value at "${place}"; ${error.message}`, { nodes: value })
}

/**
 * Returns the error of a variable without its value where the message is too long for clients: what is left out in the middle of a message would
 * have been the place. Other errors as they are.
 */
export function withShortValue(error: GraphQLError): GraphQLError {
  const { message, originalError, nodes = null } = error
  if (originalError === undefined || abridged(message) === message) return error
  const place = / at ("[^"]*")$/.exec(message.slice(0, -`; ${originalError.message}`.length))?.[1]
  return place === undefined
    ? error
    : new GraphQLError(`Invalid value at ${place}; ${originalError.message}`, { nodes })
}
