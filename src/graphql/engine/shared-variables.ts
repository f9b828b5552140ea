import {
  Kind,
  visit,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from 'graphql'

export type Variables = Readonly<Record<string, unknown>>

/** Returns the part of a subscription's variables on which the answer to an item depends. */
export type SharedVariables = (variables: Variables) => Variables

/**
 * Creates that function for one operation. It keeps the variables that are used below the root field or by a directive, and those
 * that have no neutral value. The others (id, status token, cursor and filter of a stream) have no effect after the stream has begun:
 * they are omitted, or replaced by an empty string if a string is required. Equal results imply equal answers.
 */
export function sharedVariables(document: DocumentNode, operation: OperationDefinitionNode): SharedVariables {
  const used = usedBelowRoot(document, operation)
  const definitions = operation.variableDefinitions ?? []
  const kept = definitions.filter((node) => used.has(node.variable.name.value) || isNeeded(node)).map(nameOf)
  const empty = definitions.filter((node) => !kept.includes(nameOf(node)) && isRequired(node)).map(nameOf)
  return (variables) => {
    const shared: Record<string, unknown> = {}
    for (const name of kept) if (Object.hasOwn(variables, name)) shared[name] = variables[name]
    for (const name of empty) shared[name] = ''
    return shared
  }
}

function nameOf({ variable }: VariableDefinitionNode): string {
  return variable.name.value
}

function isRequired({ type, defaultValue }: VariableDefinitionNode): boolean {
  return type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined
}

/** Returns whether the variable is required and its type is neither `ID` nor `String`. */
function isNeeded(node: VariableDefinitionNode): boolean {
  if (!isRequired(node) || node.type.kind !== Kind.NON_NULL_TYPE) return false
  const { type } = node.type
  return type.kind !== Kind.NAMED_TYPE || (type.name.value !== 'ID' && type.name.value !== 'String')
}

/** Returns the names of the variables that are used outside of the root field's arguments. */
function usedBelowRoot(document: DocumentNode, operation: OperationDefinitionNode): ReadonlySet<string> {
  const used = new Set<string>()
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  )
  const seen = new Set<FragmentDefinitionNode>()
  const collect = (node: Parameters<typeof visit>[0]) => {
    visit(node, {
      Variable: ({ name }) => void used.add(name.value),
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value)
        if (fragment === undefined || seen.has(fragment)) return
        seen.add(fragment)
        collect(fragment)
      },
    })
  }
  const atRoot = new Set<FragmentDefinitionNode>()
  const collectRoot = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      for (const directive of selection.directives ?? []) collect(directive)
      if (selection.kind === Kind.FIELD) {
        if (selection.selectionSet !== undefined) collect(selection.selectionSet)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) collectRoot(selection.selectionSet)
      else {
        const fragment = fragments.get(selection.name.value)
        if (fragment === undefined || atRoot.has(fragment)) continue
        atRoot.add(fragment)
        collectRoot(fragment.selectionSet)
      }
    }
  }
  for (const directive of operation.directives ?? []) collect(directive)
  collectRoot(operation.selectionSet)
  return used
}
