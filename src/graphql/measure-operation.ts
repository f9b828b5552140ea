import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { costOfField, startTally, type Tally, weigher, type Weight } from './field-cost.ts'
import type { Amount, Variables } from './formula.ts'
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
  readonly weigh: (variables: Variables) => Weight
}

/** What a mutation costs by itself, as Apollo's router counts it. */
const MUTATION_COST = 10

const NO_FIELDS: ReadonlySet<string> = new Set()
const INTROSPECTION_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type'])
const SUBGRAPH_FIELDS: ReadonlySet<string> = new Set(['_service', '_entities'])

/**
 * Measures an operation in one walk over its document, valid or not: each fragment is walked once for each kind of page
 * that it is spread in, however often that is.
 */
export function measureOperation(
  { schema, costs }: { readonly schema: GraphQLSchema; readonly costs: SchemaCosts },
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Measures {
  const tally = startTally(costs)
  const walk: Walk = {
    schema,
    tally,
    fragments: new Map(
      document.definitions
        .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
        .map((definition) => [definition.name.value, definition]),
    ),
    spread: new Map(),
    cyclic: false,
  }
  const root = schema.getRootType(operation.operation) ?? undefined
  const whole = measureSet(walk, operation.selectionSet, placeOf(root, NO_FIELDS))
  const variableDirectives = (operation.variableDefinitions ?? []).flatMap(({ directives }) => directives ?? [])
  const base = operation.operation === OperationTypeNode.MUTATION ? MUTATION_COST : 0
  return {
    depth: whole.depth,
    introspectionDepth: whole.introspectionDepth,
    aliases: whole.aliases,
    rootFields: whole.fields,
    directives: whole.directives + (operation.directives?.length ?? 0) + variableDirectives.length,
    forRouter: whole.forRouter,
    conditional: whole.conditional,
    cyclic: walk.cyclic,
    weigh: weigher(tally, tally.formula.sum([base, whole.cost, whole.sizedCost])),
  }
}

/** What is shared by the whole walk. */
type Walk = {
  readonly schema: GraphQLSchema
  readonly tally: Tally
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Fragments by name and sized fields; null while one is being walked. */
  readonly spread: Map<string, Part | null>
  cyclic: boolean
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

/** The figures of a part of a document. `sizedCost` is of the lists of the page around it, for each of their items. */
type Part = {
  readonly depth: number
  readonly introspectionDepth: number
  readonly aliases: number
  readonly fields: number
  readonly directives: number
  readonly forRouter: boolean
  readonly conditional: boolean
  readonly cost: Amount
  readonly sizedCost: Amount
}

const NOTHING: Part = {
  depth: 0,
  introspectionDepth: 0,
  aliases: 0,
  fields: 0,
  directives: 0,
  forRouter: false,
  conditional: false,
  cost: 0,
  sizedCost: 0,
}

function measureSet(walk: Walk, { selections }: SelectionSetNode, place: Place): Part {
  const parts = selections.map((selection) => measureSelection(walk, selection, place))
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
    cost: walk.tally.formula.sum(parts.map((part) => part.cost)),
    sizedCost: walk.tally.formula.sum(parts.map((part) => part.sizedCost)),
  }
}

function measureSelection(walk: Walk, selection: SelectionNode, place: Place): Part {
  if (selection.kind === Kind.FIELD) return measureField(walk, selection, place)
  const part =
    selection.kind === Kind.INLINE_FRAGMENT
      ? measureSet(walk, selection.selectionSet, within(walk, place, selection.typeCondition?.name.value))
      : measureFragment(walk, selection.name.value, place.sized)
  return {
    ...part,
    directives: part.directives + (selection.directives?.length ?? 0),
    conditional: part.conditional || isConditional(selection),
  }
}

function measureFragment(walk: Walk, name: string, sized: ReadonlySet<string>): Part {
  const fragment = walk.fragments.get(name)
  if (fragment === undefined) return NOTHING
  const key = `${name} ${[...sized].join(' ')}`
  const known = walk.spread.get(key)
  if (known === null) walk.cyclic = true
  if (known !== undefined) return known ?? NOTHING
  walk.spread.set(key, null)
  const type = typeNamed(walk, fragment.typeCondition.name.value)
  const part = measureSet(walk, fragment.selectionSet, placeOf(type, sized))
  const measured = { ...part, directives: part.directives + (fragment.directives?.length ?? 0) }
  walk.spread.set(key, measured)
  return measured
}

function measureField(walk: Walk, node: FieldNode, place: Place): Part {
  const name = node.name.value
  const answer = node.alias?.value ?? name
  const repeated = isRepeated(place, answer)
  const field = fieldOf(place.type, name)
  const listSize = field === undefined ? null : walk.tally.costs.listSizeOf(field)
  const type = field === undefined ? undefined : getNamedType(field.type)
  const sized = listSize?.sizedFields ?? NO_FIELDS
  const inner = node.selectionSet === undefined ? NOTHING : measureSet(walk, node.selectionSet, placeOf(type, sized))
  const isSized = place.sized.has(name)
  const introspection = INTROSPECTION_FIELDS.has(name)
  const cost = field === undefined ? 0 : costOfField(walk.tally, { node, field, listSize, inner, isSized })
  return {
    depth: introspection ? 0 : inner.depth + 1,
    introspectionDepth: introspection ? inner.depth + 1 : inner.introspectionDepth,
    aliases: inner.aliases + (node.alias !== undefined || repeated ? 1 : 0),
    fields: 1,
    directives: inner.directives + (node.directives?.length ?? 0),
    forRouter: introspection || SUBGRAPH_FIELDS.has(name),
    conditional: isConditional(node),
    cost: isSized ? 0 : cost,
    sizedCost: isSized ? cost : 0,
  }
}

function isConditional({ directives = [] }: SelectionNode): boolean {
  return directives.some(({ name }) => name.value === 'skip' || name.value === 'include')
}

function placeOf(type: GraphQLNamedType | undefined, sized: ReadonlySet<string>): Place {
  return { type, sized, names: new Map(), fragmentType: '' }
}

/** The place within an inline fragment. */
function within(walk: Walk, place: Place, typeCondition: string | undefined): Place {
  if (typeCondition === undefined) return place
  return { ...place, type: typeNamed(walk, typeCondition), fragmentType: typeCondition }
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

function typeNamed({ schema }: Walk, name: string | undefined): GraphQLNamedType | undefined {
  return name === undefined ? undefined : schema.getType(name)
}
