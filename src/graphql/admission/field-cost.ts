import { Kind, valueFromASTUntyped, type FieldNode, type GraphQLField } from 'graphql'
import { givesList, type ListSize, type SchemaCosts } from './schema-costs.ts'

export type Weight = {
  /** Cost without that of `_entities`. */
  readonly cost: number
  readonly entityCost: number
  /** Length of the longest list of representations. */
  readonly entities: number
  /** Size of the largest page, and the argument that requests it; null without a page. */
  readonly page: { readonly argument: string; readonly size: number } | null
}

/** Assumed length of a list whose length the schema does not state, as in the examples of Apollo's router. */
const LIST_SIZE = 10

/** The schema's weights, and the expression that collects the costs of a document. */
export type Tally = { readonly costs: SchemaCosts; readonly expression: CostExpression }

/** The figures of a part of a document; they may depend on variables. */
export type Costs = {
  /** Cost without that of `_entities`. */
  readonly cost: Amount
  readonly entityCost: Amount
  /** Cost per item of the lists whose length the surrounding page determines. */
  readonly sizedCost: Amount
  /** Length of the longest list of representations. */
  readonly entities: Amount
  /** Size of the largest page, by the argument that requests it. */
  readonly pages: Pages
}

type Pages = Readonly<Record<string, Amount>>

export const NO_COSTS: Costs = { cost: 0, entityCost: 0, sizedCost: 0, entities: 0, pages: {} }

/** Creates an empty tally. */
export function startTally(costs: SchemaCosts): Tally {
  return { costs, expression: startExpression() }
}

/** Returns the figures of a selection set, from those of its selections. */
export function sumCosts({ expression }: Tally, parts: readonly Costs[]): Costs {
  return {
    cost: expression.sum(parts.map((part) => part.cost)),
    entityCost: expression.sum(parts.map((part) => part.entityCost)),
    sizedCost: expression.sum(parts.map((part) => part.sizedCost)),
    entities: expression.largest(parts.map((part) => part.entities)),
    pages: largestPages(
      expression,
      parts.map((part) => part.pages),
    ),
  }
}

function largestPages(expression: CostExpression, all: readonly Pages[]): Pages {
  const names = new Set(all.flatMap((pages) => Object.keys(pages)))
  return Object.fromEntries(
    Array.from(names, (name) => [name, expression.largest(all.map((pages) => pages[name] ?? 0))]),
  )
}

type FieldCost = {
  readonly node: FieldNode
  readonly field: GraphQLField<unknown, unknown>
  readonly listSize: ListSize | null
  /** Costs of its selection set. */
  readonly inner: Costs
  /** True if the surrounding page determines the length of its list. */
  readonly isSized: boolean
}

/** Returns the costs of one call of a field with its selection; if `isSized`, those of one item, as `sizedCost`. */
export function costsOfField(tally: Tally, { node, field, listSize, inner, isSized }: FieldCost): Costs {
  const { expression, costs } = tally
  const givesEntities = field.name === '_entities'
  const entities = givesEntities ? representationsIn(tally, node) : 0
  const slices = slicesIn(tally, node, { field, listSize })
  const size = givesEntities ? entities : sizeOf(expression, { slices, listSize })
  const isPage = listSize !== null && listSize.sizedFields.size > 0
  const item = expression.sum([
    costs.itemWeightOf(field),
    inner.cost,
    isPage ? expression.product(size, inner.sizedCost) : inner.sizedCost,
  ])
  const many = givesList(field) && !isPage && !isSized
  const cost = expression.sum([
    costs.weightOf(field),
    many ? expression.product(size, item) : item,
    ...argumentCosts(tally, node, field),
  ])
  return {
    cost: isSized || givesEntities ? 0 : cost,
    entityCost: givesEntities ? cost : inner.entityCost,
    sizedCost: isSized ? cost : 0,
    entities: expression.largest([entities, inner.entities]),
    pages: largestPages(expression, [slices, inner.pages]),
  }
}

/** Returns the length of a field's list, or of the lists of its page: the largest slice, else the assumed size. */
function sizeOf(
  expression: CostExpression,
  { slices, listSize }: { slices: Pages; listSize: ListSize | null },
): Amount {
  const sizes = Object.values(slices)
  return sizes.length === 0 ? (listSize?.assumedSize ?? LIST_SIZE) : expression.largest(sizes)
}

type Sliced = { readonly field: GraphQLField<unknown, unknown>; readonly listSize: ListSize | null }

/** Returns the values of a field's slicing arguments, by their names. */
function slicesIn(tally: Tally, node: FieldNode, { field, listSize }: Sliced): Pages {
  const slices = (listSize?.slicingArguments ?? []).map(
    (name) => [name, slicedBy(tally, node, { field, name })] as const,
  )
  return Object.fromEntries(slices.filter((slice): slice is [string, Amount] => slice[1] !== null))
}

type Slice = { readonly field: GraphQLField<unknown, unknown>; readonly name: string }

/** Returns the value of a slicing argument: a literal, a variable, or the schema's default. Null if there is none. */
function slicedBy({ expression }: Tally, node: FieldNode, { field, name }: Slice): Amount | null {
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value
  const otherwise = numberIn(field.args.find((argument) => argument.name === name)?.defaultValue)
  if (value?.kind === Kind.VARIABLE)
    return expression.ask((variables) => Math.max(0, numberIn(variables[value.name.value]) ?? otherwise ?? LIST_SIZE))
  return value?.kind === Kind.INT ? Math.max(0, Number(value.value)) : otherwise
}

/** Returns the number of representations in the argument of `_entities`. */
function representationsIn({ expression }: Tally, node: FieldNode): Amount {
  const value = node.arguments?.find((argument) => argument.name.value === 'representations')?.value
  if (value?.kind === Kind.VARIABLE) return expression.ask((variables) => lengthOf(variables[value.name.value]))
  return value?.kind === Kind.LIST ? value.values.length : 1
}

/** Returns the costs of the argument values of a field. */
function argumentCosts({ costs, expression }: Tally, node: FieldNode, field: GraphQLField<unknown, unknown>): Amount[] {
  return (node.arguments ?? []).flatMap(({ name, value }) => {
    const argument = field.args.find((candidate) => candidate.name === name.value)
    if (argument === undefined || costs.isFree(argument)) return []
    return [expression.ask((variables) => costs.weightOfValue(argument, valueFromASTUntyped(value, variables)))]
  })
}

/** Returns the function that computes the cost of a whole operation for the variables of one request. */
export function weigher(
  { expression }: Tally,
  { cost, entityCost, entities, pages }: Costs,
): (variables: RequestVariables) => Weight {
  return (variables) => {
    const at = expression.solve(variables)
    const sizes = Object.entries(pages).map(([argument, size]) => ({ argument, size: at(size) }))
    return {
      cost: at(cost),
      entityCost: at(entityCost),
      entities: at(entities),
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

/** The values of an operation's variables, coerced and with their defaults. */
export type RequestVariables = Readonly<Record<string, unknown>>

/** A constant, or the index of a step whose result depends on the variables. */
type Amount = number | { readonly step: number }

type Step = (variables: RequestVariables, numbers: readonly number[]) => number

/**
 * A calculation that is built once per document and evaluated once per request. Parts that do not depend on variables are
 * evaluated while it is built, and a part that is used twice is evaluated once.
 */
type CostExpression = {
  sum(amounts: readonly Amount[]): Amount
  /** Returns the largest of amounts that are not negative; 0 for an empty list. */
  largest(amounts: readonly Amount[]): Amount
  product(one: Amount, other: Amount): Amount
  /** Returns an amount that `read` takes from the variables. */
  ask(read: (variables: RequestVariables) => number): Amount
  /** Evaluates all steps for these variables. Returns a function that returns the value of an amount. */
  solve(variables: RequestVariables): (amount: Amount) => number
}

/** Creates an empty calculation. */
function startExpression(): CostExpression {
  const steps: Step[] = []
  const add = (step: Step): Amount => ({ step: steps.push(step) - 1 })

  return {
    sum(amounts) {
      const known = amounts.reduce<number>((total, amount) => (typeof amount === 'number' ? total + amount : total), 0)
      const open = amounts.filter((amount) => typeof amount !== 'number')
      if (open.length === 0) return known
      return add((_variables, numbers) => open.reduce((total, { step }) => total + (numbers[step] ?? 0), known))
    },
    largest(amounts) {
      const known = amounts.reduce<number>(
        (most, amount) => (typeof amount === 'number' ? Math.max(most, amount) : most),
        0,
      )
      const open = amounts.filter((amount) => typeof amount !== 'number')
      if (open.length === 0) return known
      return add((_variables, numbers) => open.reduce((most, { step }) => Math.max(most, numbers[step] ?? 0), known))
    },
    product(one, other) {
      if (one === 0 || other === 0) return 0
      if (typeof one === 'number' && typeof other === 'number') return one * other
      return add((_variables, numbers) => times(amountAt(numbers, one), amountAt(numbers, other)))
    },
    ask: (read) => add(read),
    solve(variables) {
      const numbers: number[] = []
      for (const step of steps) numbers.push(step(variables, numbers))
      return (amount) => amountAt(numbers, amount)
    },
  }
}

function amountAt(numbers: readonly number[], amount: Amount): number {
  return typeof amount === 'number' ? amount : (numbers[amount.step] ?? 0)
}

/** Returns the product; 0 times `Infinity` is 0, not `NaN`. */
function times(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : one * other
}
