import * as fc from 'fast-check'
import { getNamedType, isObjectType, Kind, parse, visit, type DocumentNode } from 'graphql'
import { describe, expect, it } from 'vitest'
import { measureDocument } from '../../src/graphql/admission/measure-document.ts'
import { readSchemaCosts } from '../../src/graphql/admission/schema-costs.ts'
import { createCachePolicy } from '../../src/graphql/engine/cache-policy.ts'
import { schema } from './gate.ts'

/** A selection set is walked once for each kind of place where its cost differs: inside a page and outside, at the root and below. */
const WALKS = 2

const TYPES = ['Query', 'PayinMethodList', 'PayinMethod', 'PaymentConnection', 'Payment', 'PaymentLink'] as const
type TypeName = (typeof TYPES)[number]

const part = fc.record({
  kind: fc.constantFrom('spread', 'spread', 'spread', 'scalar', 'object', 'inline'),
  pick: fc.nat(),
})
const graph = fc.record({
  isCyclic: fc.boolean(),
  operations: fc.integer({ min: 1, max: 20 }),
  isWhole: fc.boolean(),
  fragments: fc.array(
    fc.record({ type: fc.constantFrom(...TYPES), parts: fc.array(part, { minLength: 1, maxLength: 8 }) }),
    { minLength: 1, maxLength: 60, size: 'max' },
  ),
})
type Graph = typeof graph extends fc.Arbitrary<infer Value> ? Value : never

/** Returns a document of fragments that spread each other; unless it is cyclic, a fragment only spreads later fragments. */
function written({ isCyclic, operations, isWhole, fragments }: Graph): string {
  const spread = (type: TypeName, from: number, pick: number) => {
    const others = fragments.flatMap((other, index) =>
      other.type === type && (isCyclic || index > from) ? [`...F${index}`] : [],
    )
    return others[pick % others.length] ?? '__typename'
  }
  const definitions = fragments.map(({ type, parts }, index) => {
    const selections = parts.map(({ kind, pick }) => {
      if (kind === 'spread') return spread(type, index, pick)
      if (kind === 'inline') return `... { ${spread(type, index, pick)} ${spread(type, index, pick + 1)} }`
      const [name, inner] = fieldOf(type, kind === 'object', pick)
      return inner === null ? name : `${name} { ${spread(inner, index, pick)} ${spread(inner, index, pick + 1)} }`
    })
    return `fragment F${index} on ${type} { ${selections.join(' ')} }`
  })
  const queries = Array.from({ length: operations }, (_, index) => `query Q${index} { ${spread('Query', -1, index)} }`)
  // Unused fragments are rejected, so some documents have none.
  return [...queries, ...(isWhole ? reachable(queries, definitions) : definitions)].join('\n')
}

/** Returns the fragments that these texts spread, directly or through others. */
function reachable(texts: readonly string[], definitions: readonly string[]): string[] {
  const found = new Set(texts)
  for (const text of found) {
    for (const [, index] of text.matchAll(/\.\.\.F(\d+)/g)) found.add(definitions[Number(index)] ?? '')
  }
  return [...found].slice(texts.length)
}

/** Returns a field without required arguments, and its type if that is one of `TYPES`. */
function fieldOf(typeName: TypeName, isObject: boolean, pick: number): [string, TypeName | null] {
  const type = schema.getType(typeName)
  const fields = isObjectType(type) ? Object.values(type.getFields()) : []
  const suitable = fields.flatMap((field): [string, TypeName | null][] => {
    const inner = TYPES.find((name) => name === getNamedType(field.type).name) ?? null
    const isScalar = !('getFields' in getNamedType(field.type)) && !('getTypes' in getNamedType(field.type))
    const isFree = field.args.every(({ type: given }) => !String(given).endsWith('!'))
    return isFree && (isObject ? inner !== null : isScalar) ? [[field.name, isObject ? inner : null]] : []
  })
  return suitable[pick % suitable.length] ?? ['__typename', null]
}

/** Counts every read of a selection set of the document. More than 1,000,000 reads throw. */
function counted(document: DocumentNode) {
  let looks = 0
  let sets = 0
  visit(document, {
    SelectionSet(node) {
      const { selections } = node
      sets += 1
      const look = () => {
        looks += 1
        // Stops an exponential walk early.
        if (looks > 1_000_000) throw new Error('There is no end to it.')
        return selections
      }
      Object.defineProperty(node, 'selections', { get: look })
    },
  })
  looks = 0
  return { sets, looks: () => looks }
}

const fixture = { schema, costs: readSchemaCosts(schema) }

const doubling = (levels: number) => {
  const steps = Array.from(
    { length: levels },
    (_, at) => `fragment A${at} on PayinMethod { ...A${at + 1} ...A${at + 1} }`,
  )
  return `{ payinMethods { nodes { ...A0 } } } ${steps.join(' ')} fragment A${levels} on PayinMethod { code }`
}
const operationsIn = (document: DocumentNode) =>
  document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)

// promise(operations): Admission takes linear time in the size of the document, whatever its fragments.
describe('however fragments spread each other', () => {
  const walks: readonly [string, (document: DocumentNode) => void][] = [
    ['measures', (document) => void measureDocument(fixture, document)],
    [
      'the cache policy',
      (document) => {
        const [operation] = operationsIn(document)
        if (operation !== undefined) createCachePolicy(schema)(document, operation)
      },
    ],
  ]

  it.each(walks)('%s look at each set of selections once or twice', (_name, walk) => {
    fc.assert(
      fc.property(graph, (given) => {
        const document = parse(written(given))
        const { sets, looks } = counted(document)
        walk(document)
        expect(looks()).toBeLessThanOrEqual(WALKS * sets)
      }),
      { numRuns: 200 },
    )
  })

  it.each(walks)('%s take 60 levels of doubled spreads', (_name, walk) => {
    const document = parse(doubling(60))
    const { sets, looks } = counted(document)
    walk(document)
    expect(looks()).toBeLessThanOrEqual(WALKS * sets)
  })
})
