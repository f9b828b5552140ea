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
} from 'graphql'
import type { RequestVariables } from './cost-expression.ts'
import {
  costsOfField,
  NO_COSTS,
  startTally,
  sumCosts,
  type Costs,
  type Tally,
  weigher,
  type Weight,
} from './field-cost.ts'
import { foldSelections } from './fold-selections.ts'
import type { SchemaCosts } from './schema-costs.ts'

/** How large an operation is. Fragments count wherever they are spread, and what `@skip` or `@include` may leave out counts. */
export type Measures = {
  /** Fields inside each other, introspection left out. */
  readonly depth: number
  /** The same for `__schema` and `__type`; 0 for an operation that asks for neither. */
  readonly introspectionDepth: number
  /** Aliases, and fields that are asked for twice in one place. */
  readonly aliases: number
  readonly rootFields: number
  readonly directives: number
  /** The operation asks for what the router alone needs. */
  readonly forRouter: boolean
  /** A root field may be left out by `@skip` or `@include`. */
  readonly conditional: boolean
  /** A fragment spreads itself: the figures are too low, and the document is not valid. */
  readonly cyclic: boolean
  /** What the operation asks for with these variables. */
  readonly weigh: (variables: RequestVariables) => Weight
}

/** The operations of a document with their measures. */
export type MeasuredDocument = {
  readonly operations: readonly { readonly node: OperationDefinitionNode; readonly measures: Measures }[]
  /** Every definition is an operation, or a fragment that an operation uses: nothing is left out of the measures. */
  readonly isComplete: boolean
}

/** What a mutation costs by itself, as Apollo's router counts it. */
const MUTATION_COST = 10

const NO_FIELDS: ReadonlySet<string> = new Set()
const INTROSPECTION_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type'])
const SUBGRAPH_FIELDS: ReadonlySet<string> = new Set(['_service', '_entities'])

type SchemaParts = { readonly schema: GraphQLSchema; readonly costs: SchemaCosts }

/**
 * Measures the operations of a document, valid or not, in time that is linear in its size: each fragment is walked once
 * for each kind of page that it is spread in, however often that is.
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
  const { depth, introspectionDepth, aliases, fields: rootFields, forRouter, conditional, cyclic, costs } = whole
  const variableDirectives = (operation.variableDefinitions ?? []).flatMap(({ directives }) => directives ?? [])
  const directives = whole.directives + (operation.directives?.length ?? 0) + variableDirectives.length
  const base = operation.operation === OperationTypeNode.MUTATION ? MUTATION_COST : 0
  const cost = tally.expression.sum([base, costs.cost, costs.sizedCost])
  const weigh = weigher(tally, { ...costs, cost })
  return { depth, introspectionDepth, aliases, rootFields, directives, forRouter, conditional, cyclic, weigh }
}

/**
 * Where a selection stands: its type where that is known, the page's lists, and the names used in this place so far, apart
 * for each type that an inline fragment names: a client asks every kind of error for its message.
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

/** What a fragment and its spread add to what is selected in it. */
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

/** The place within a fragment. What is inline shares the names of the place around it. */
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

/** Whether a name has been used before in a place; from now on it has. */
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
