import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type FragmentSpreadNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import {
  type RequestVariables,
  costsOfField,
  NO_COSTS,
  startTally,
  sumCosts,
  type Costs,
  type Tally,
  weigher,
  type Weight,
} from './field-cost.ts'
import type { SchemaCosts } from './schema-costs.ts'

/** The size of an operation. Fragments count at each spread; selections with `@skip` or `@include` always count. */
export type Measures = {
  /** Depth of nested fields, without introspection. */
  readonly depth: number
  /** Depth below `__schema` and `__type`, including them; 0 without them. */
  readonly introspectionDepth: number
  /** Number of aliases, and of fields that repeat a response name in the same place. */
  readonly aliases: number
  /** Characters of the longest alias. */
  readonly aliasLength: number
  readonly rootFields: number
  readonly directives: number
  /** The operation selects a field that only the router needs: introspection, `_service` or `_entities`. */
  readonly forRouter: boolean
  /** A root field or fragment has `@skip` or `@include`. */
  readonly conditional: boolean
  /** A fragment spreads itself: the figures are too low, and the document is invalid. */
  readonly cyclic: boolean
  /** Returns the operation's cost and page sizes for these variables. */
  readonly weigh: (variables: RequestVariables) => Weight
}

/** The operations of a document with their measures. */
export type MeasuredDocument = {
  readonly operations: readonly { readonly node: OperationDefinitionNode; readonly measures: Measures }[]
  /** True if every definition is an operation, or a fragment that an operation uses, so that the measures cover all. */
  readonly isComplete: boolean
}

/** Base cost of a mutation, the same as in Apollo's router. */
const MUTATION_COST = 10

const NO_FIELDS: ReadonlySet<string> = new Set()
const INTROSPECTION_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type'])
const SUBGRAPH_FIELDS: ReadonlySet<string> = new Set(['_service', '_entities'])

type SchemaParts = { readonly schema: GraphQLSchema; readonly costs: SchemaCosts }

/**
 * Returns the measures of a document's operations, valid or not, in time that is linear in its size: each fragment is walked
 * once per set of sized fields of the surrounding page, independent of the number of its spreads.
 */
export function measureDocument({ schema, costs }: SchemaParts, document: DocumentNode): MeasuredDocument {
  const tally = startTally(costs)
  const selections = foldSelections<Place, Part>(document, {
    field: (node, place, below) => measureField(tally, { node, place, below }),
    combine: (parts) => sumParts(tally, parts),
    enter: (fragment, place) => placeWithin(schema, fragment, place),
    keyOf: ({ sized }) => [...sized].join(' '),
    annotate: addDirectives,
    cycle: { ...NOTHING, cyclic: true },
  })
  const operations = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((node) => {
      const root = schema.getRootType(node.operation) ?? undefined
      const whole = selections.walk(node.selectionSet, placeOf(root, NO_FIELDS))
      return { node, measures: measuresOf(tally, node, whole) }
    })
  const isComplete = operations.length + selections.visited.size === document.definitions.length
  return { operations, isComplete }
}

function measuresOf(tally: Tally, operation: OperationDefinitionNode, whole: Part): Measures {
  const {
    depth,
    introspectionDepth,
    aliases,
    aliasLength,
    fields: rootFields,
    forRouter,
    conditional,
    cyclic,
    costs,
  } = whole
  const variableDirectives = (operation.variableDefinitions ?? []).flatMap(({ directives }) => directives ?? [])
  const directives = whole.directives + (operation.directives?.length ?? 0) + variableDirectives.length
  const base = operation.operation === OperationTypeNode.MUTATION ? MUTATION_COST : 0
  const cost = tally.expression.sum([base, costs.cost, costs.sizedCost])
  const weigh = weigher(tally, { ...costs, cost })
  return {
    depth,
    introspectionDepth,
    aliases,
    aliasLength,
    rootFields,
    directives,
    forRouter,
    conditional,
    cyclic,
    weigh,
  }
}

/**
 * The surroundings of a selection: the parent type, if known; the sized fields of the page; and the response names used so far.
 * Names are kept separately per type condition of an inline fragment, because clients select `message` of every error type.
 */
type Place = {
  readonly type: GraphQLNamedType | undefined
  readonly sized: ReadonlySet<string>
  readonly names: Map<string, Set<string>>
  readonly fragmentType: string
}

/** The figures of a part of a document. */
type Part = {
  readonly depth: number
  readonly introspectionDepth: number
  readonly aliases: number
  readonly aliasLength: number
  readonly fields: number
  readonly directives: number
  readonly forRouter: boolean
  readonly conditional: boolean
  readonly cyclic: boolean
  readonly costs: Costs
}

const NOTHING: Part = {
  depth: 0,
  introspectionDepth: 0,
  aliases: 0,
  aliasLength: 0,
  fields: 0,
  directives: 0,
  forRouter: false,
  conditional: false,
  cyclic: false,
  costs: NO_COSTS,
}

function sumParts(tally: Tally, parts: readonly Part[]): Part {
  const sum = (figure: (part: Part) => number) => parts.reduce((total, part) => total + figure(part), 0)
  const most = (figure: (part: Part) => number) => parts.reduce((found, part) => Math.max(found, figure(part)), 0)
  return {
    depth: most((part) => part.depth),
    introspectionDepth: most((part) => part.introspectionDepth),
    aliases: sum((part) => part.aliases),
    aliasLength: most((part) => part.aliasLength),
    fields: sum((part) => part.fields),
    directives: sum((part) => part.directives),
    forRouter: parts.some((part) => part.forRouter),
    conditional: parts.some((part) => part.conditional),
    cyclic: parts.some((part) => part.cyclic),
    costs: sumCosts(
      tally,
      parts.map((part) => part.costs),
    ),
  }
}

type Annotated = { readonly directives?: readonly DirectiveNode[] | undefined }

/** Adds the directives of a fragment or its spread to the figures of its selections. */
function addDirectives(part: Part, node: Annotated): Part {
  return {
    ...part,
    directives: part.directives + (node.directives?.length ?? 0),
    conditional: part.conditional || isConditional(node),
  }
}

type MeasuredField = {
  readonly node: FieldNode
  readonly place: Place
  readonly below: (place: Place) => Part
}

function measureField(tally: Tally, { node, place, below }: MeasuredField): Part {
  const name = node.name.value
  const repeated = isRepeated(place, node.alias?.value ?? name)
  const field = fieldOf(place.type, name)
  const listSize = field === undefined ? null : tally.costs.listSizeOf(field)
  const type = field === undefined ? undefined : getNamedType(field.type)
  const inner = below(placeOf(type, listSize?.sizedFields ?? NO_FIELDS))
  const introspection = INTROSPECTION_FIELDS.has(name)
  const costed = { node, listSize, inner: inner.costs, isSized: place.sized.has(name) }
  return {
    depth: introspection ? 0 : inner.depth + 1,
    introspectionDepth: introspection ? inner.depth + 1 : inner.introspectionDepth,
    aliases: inner.aliases + (node.alias !== undefined || repeated ? 1 : 0),
    aliasLength: Math.max(inner.aliasLength, node.alias?.value.length ?? 0),
    fields: 1,
    directives: inner.directives + (node.directives?.length ?? 0),
    forRouter: introspection || SUBGRAPH_FIELDS.has(name),
    conditional: isConditional(node),
    cyclic: inner.cyclic,
    costs: field === undefined ? { ...inner.costs, cost: 0, sizedCost: 0 } : costsOfField(tally, { ...costed, field }),
  }
}

function isConditional({ directives = [] }: Annotated): boolean {
  return directives.some(({ name }) => name.value === 'skip' || name.value === 'include')
}

function placeOf(type: GraphQLNamedType | undefined, sized: ReadonlySet<string>): Place {
  return { type, sized, names: new Map(), fragmentType: '' }
}

/** Returns the place within a fragment. An inline fragment shares the map of names with the surrounding place. */
function placeWithin(
  schema: GraphQLSchema,
  fragment: FragmentDefinitionNode | InlineFragmentNode,
  place: Place,
): Place {
  const condition = fragment.typeCondition?.name.value
  if (condition === undefined) return place
  const type = schema.getType(condition)
  return fragment.kind === Kind.INLINE_FRAGMENT
    ? { ...place, type, fragmentType: condition }
    : placeOf(type, place.sized)
}

/** Returns whether a name has been used before in a place, and records its use. */
function isRepeated({ names, fragmentType }: Place, name: string): boolean {
  const used = names.get(fragmentType) ?? new Set()
  names.set(fragmentType, used)
  if (used.has(name)) return true
  used.add(name)
  return false
}

function fieldOf(type: GraphQLNamedType | undefined, name: string): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
}

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
