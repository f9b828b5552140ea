import { Kind, valueFromASTUntyped, type FieldNode, type GraphQLField } from 'graphql'
import { startFormula, type Amount, type Formula, type Variables } from './formula.ts'
import { givesList, type ListSize, type SchemaCosts } from './schema-costs.ts'

export type Weight = {
  readonly cost: number
  /** The largest list of representations. */
  readonly entities: number
  /** The largest page, and the argument that asks for it. */
  readonly page: { readonly argument: string; readonly size: number } | null
}

/** The length of a list of which the schema tells none, as in the examples of Apollo's router. */
const LIST_SIZE = 10

/** What is gathered of an operation's costs while it is walked through. */
export type Tally = {
  readonly costs: SchemaCosts
  readonly formula: Formula
  readonly pages: { readonly argument: string; readonly size: Amount }[]
  readonly entities: Amount[]
}

/** A tally of nothing yet. */
export function startTally(costs: SchemaCosts): Tally {
  return { costs, formula: startFormula(), pages: [], entities: [] }
}

type FieldCost = {
  readonly node: FieldNode
  readonly field: GraphQLField<unknown, unknown>
  readonly listSize: ListSize | null
  /** What is selected of it. */
  readonly inner: { readonly cost: Amount; readonly sizedCost: Amount }
  /** The page around it tells how long its list is. */
  readonly isSized: boolean
}

/** What one call of a field costs, with everything that it gives; of one that its page sizes, what one item costs. */
export function costOfField(tally: Tally, { node, field, listSize, inner, isSized }: FieldCost): Amount {
  const { formula, costs } = tally
  const size = sizeOf(tally, { node, field, listSize })
  const isPage = listSize !== null && listSize.sizedFields.size > 0
  const item = formula.sum([
    costs.itemWeightOf(field),
    inner.cost,
    isPage ? formula.product(size, inner.sizedCost) : inner.sizedCost,
  ])
  const many = givesList(field) && !isPage && !isSized
  return formula.sum([
    costs.weightOf(field),
    many ? formula.product(size, item) : item,
    ...argumentCosts(tally, node, field),
  ])
}

/** How long a field's list is, or those of its page. */
function sizeOf(tally: Tally, { node, field, listSize }: Pick<FieldCost, 'node' | 'field' | 'listSize'>): Amount {
  if (field.name === '_entities') return entitiesOf(tally, node)
  const asked = (listSize?.slicingArguments ?? []).map((name) => slicedBy(tally, node, { field, name }))
  const sizes = asked.filter((size) => size !== null)
  if (sizes.length === 0) return listSize?.assumedSize ?? LIST_SIZE
  return tally.formula.largest(sizes)
}

type Slice = { readonly field: GraphQLField<unknown, unknown>; readonly name: string }

/** The value of a slicing argument: a literal, a variable, or the schema's default. Null where there is none. */
function slicedBy(tally: Tally, node: FieldNode, { field, name }: Slice): Amount | null {
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value
  const otherwise = numberIn(field.args.find((argument) => argument.name === name)?.defaultValue)
  const size =
    value?.kind === Kind.VARIABLE
      ? tally.formula.ask((variables) => Math.max(0, numberIn(variables[value.name.value]) ?? otherwise ?? LIST_SIZE))
      : value?.kind === Kind.INT
        ? Math.max(0, Number(value.value))
        : otherwise
  if (size !== null) tally.pages.push({ argument: name, size })
  return size
}

function entitiesOf(tally: Tally, node: FieldNode): Amount {
  const value = node.arguments?.find((argument) => argument.name.value === 'representations')?.value
  const size =
    value?.kind === Kind.VARIABLE
      ? tally.formula.ask((variables) => lengthOf(variables[value.name.value]))
      : value?.kind === Kind.LIST
        ? value.values.length
        : 1
  tally.entities.push(size)
  return size
}

/** What the values cost that are given for a field's arguments. */
function argumentCosts({ costs, formula }: Tally, node: FieldNode, field: GraphQLField<unknown, unknown>): Amount[] {
  return (node.arguments ?? []).flatMap(({ name, value }) => {
    const argument = field.args.find((candidate) => candidate.name === name.value)
    if (argument === undefined || costs.isFree(argument)) return []
    return [formula.ask((variables) => costs.weightOfValue(argument, valueFromASTUntyped(value, variables)))]
  })
}

/** Gives what works out the figures of a whole operation for the variables of one request. */
export function weigher({ formula, pages, entities }: Tally, cost: Amount): (variables: Variables) => Weight {
  return (variables) => {
    const at = formula.solve(variables)
    const sizes = pages.map(({ argument, size }) => ({ argument, size: at(size) }))
    return {
      cost: at(cost),
      entities: entities.reduce<number>((most, size) => Math.max(most, at(size)), 0),
      page: sizes.reduce<Weight['page']>((most, page) => (most === null || page.size > most.size ? page : most), null),
    }
  }
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : value === null || value === undefined ? 0 : 1
}
