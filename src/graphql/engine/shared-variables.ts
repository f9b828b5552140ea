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
 * Makes that function for one operation. Variables that are used below the root field or by a directive are kept, and so are those that
 * have no neutral value. The others (id, status token, cursor and filter of a stream) have no effect once the stream has begun: they
 * are omitted, or an empty string where a string is required. Equal results imply equal answers.
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

/** Whether the variable is required and not a string. */
function isNeeded(node: VariableDefinitionNode): boolean {
  if (!isRequired(node) || node.type.kind !== Kind.NON_NULL_TYPE) return false
  const { type } = node.type
  return type.kind !== Kind.NAMED_TYPE || (type.name.value !== 'ID' && type.name.value !== 'String')
}

/** Names of the variables that are used elsewhere than in the root field's arguments. */
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
