import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

/**
 * The computation of a walk over selections. `Scope` is what a selection inherits from its surroundings, such as the parent
 * type.
 */
export type SelectionFold<Scope, Result> = {
  /** Returns the result of a field. `below` walks its selection set; it returns `combine([])` for a field without one. */
  readonly field: (node: FieldNode, scope: Scope, below: (scope: Scope) => Result) => Result
  /** Returns the result of a selection set, from those of its selections. */
  readonly combine: (results: readonly Result[]) => Result
  /** Returns the scope within a fragment that is spread in `scope`. */
  readonly enter: (fragment: FragmentDefinitionNode | InlineFragmentNode, scope: Scope) => Scope
  /** Returns equal keys for scopes in which a fragment definition has the same result. The walk is linear if there are few keys. */
  readonly keyOf: (scope: Scope) => string
  /** Adds to a result what a spread, an inline fragment or a fragment definition contributes besides its selections. */
  readonly annotate: (result: Result, node: FragmentSpreadNode | InlineFragmentNode | FragmentDefinitionNode) => Result
  /** The result of a fragment that is spread within itself. */
  readonly cycle: Result
}

export type SelectionWalk<Scope, Result> = {
  /** Returns the result of a selection set. Results of fragments are kept between calls. */
  walk(set: SelectionSetNode, scope: Scope): Result
  /** The fragment definitions that have been walked. */
  readonly visited: ReadonlySet<FragmentDefinitionNode>
}

/**
 * Creates a walk over the selections of a document and its fragments. The definition of a fragment is walked once per key of
 * `keyOf`, independent of the number of its spreads and operations, so the time is linear in the size of the document. Use it
 * for every computation over a whole document.
 */
export function foldSelections<Scope, Result>(
  { definitions }: DocumentNode,
  fold: SelectionFold<Scope, Result>,
): SelectionWalk<Scope, Result> {
  const fragments = new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((definition) => [definition.name.value, definition]),
  )
  const results = new Map<string, Result>()
  const visited = new Set<FragmentDefinitionNode>()

  const walk = ({ selections }: SelectionSetNode, scope: Scope): Result =>
    fold.combine(selections.map((selection) => walkSelection(selection, scope)))

  const walkSelection = (selection: SelectionNode, scope: Scope): Result => {
    if (selection.kind === Kind.FIELD) return walkField(selection, scope)
    const result =
      selection.kind === Kind.INLINE_FRAGMENT
        ? walk(selection.selectionSet, fold.enter(selection, scope))
        : walkFragment(selection.name.value, scope)
    return fold.annotate(result, selection)
  }

  const walkField = (node: FieldNode, scope: Scope): Result =>
    fold.field(node, scope, (inner) =>
      node.selectionSet === undefined ? fold.combine([]) : walk(node.selectionSet, inner),
    )

  const walkFragment = (name: string, scope: Scope): Result => {
    const fragment = fragments.get(name)
    if (fragment === undefined) return fold.combine([])
    const key = `${name} ${fold.keyOf(scope)}`
    const known = results.get(key)
    if (known !== undefined) return known
    visited.add(fragment)
    results.set(key, fold.cycle)
    const result = fold.annotate(walk(fragment.selectionSet, fold.enter(fragment, scope)), fragment)
    results.set(key, result)
    return result
  }

  return { walk, visited }
}
