import { buildSchema, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { measureDocument } from '../../../src/graphql/admission/measure-document.ts'
import { readSchemaCosts } from '../../../src/graphql/admission/schema-costs.ts'

const schema = buildSchema(`
  directive @cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
  directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION

  scalar Dear @cost(weight: 3)
  type Heavy @cost(weight: 4) { id: ID }
  type Thing { id: ID, name: String, thing: Thing, dear: Dear, heavy: Heavy, weighty: Thing @cost(weight: 5), list: [Thing!]! }
  type Other { id: ID, name: String }
  union Either = Thing | Other
  type Edge { node: Thing }
  type Page { edges: [Edge!]!, nodes: [Thing!]!, total: Int, last: Thing }
  input Part { word: String @cost(weight: 2), parts: [Part!] }
  type Query {
    thing: Thing
    either: Either
    count: Int
    plain: [Thing]
    numbers: [Int]
    assumed: [Thing] @listSize(assumedSize: 7)
    calls: [Thing] @cost(weight: 5) @listSize(assumedSize: 3)
    sliced(first: Int! = 20): [Thing] @listSize(slicingArguments: ["first"])
    unset(first: Int): [Thing] @listSize(slicingArguments: ["first"])
    either2(first: Int, last: Int): [Thing] @listSize(slicingArguments: ["first", "last"])
    page(first: Int! = 20): Page @listSize(slicingArguments: ["first"], sizedFields: ["edges", "nodes"])
    search(part: Part, words: [String!] @cost(weight: 2)): Thing
    _entities(representations: [ID!]!): [Thing]
    _service: Thing
  }
  type Mutation { do: Thing @cost(weight: 20) }
`)
const fixture = { schema, costs: readSchemaCosts(schema) }

function measure(text: string) {
  const document = parse(text)
  const [operation] = measureDocument(fixture, document).operations
  if (operation === undefined) throw new Error('There is no operation.')
  return operation.measures
}

const costOf = (text: string, variables: Record<string, unknown> = {}) => {
  const { cost, entityCost } = weigh(text, variables)
  return cost + entityCost
}
const weigh = (text: string, variables: Record<string, unknown> = {}) => measure(text).weigh(variables)

describe('the cost', () => {
  it.each<[string, number]>([
    ['{ count }', 0],
    ['{ thing { id name } }', 1],
    ['{ thing { thing { id } } }', 2],
    ['{ thing { dear } }', 4],
    ['{ thing { heavy { id } } }', 5],
    ['{ thing { weighty { id } } }', 7],
    ['{ numbers }', 0],
    ['{ plain { id } }', 10],
    ['{ plain { list { id } } }', 110],
    ['{ assumed { id } }', 7],
    ['{ assumed { dear } }', 28],
    ['{ calls { id } }', 8],
    ['{ sliced { id } }', 20],
    ['{ sliced(first: 3) { id } }', 3],
    ['{ sliced(first: 0) { id } }', 0],
    ['{ sliced(first: -5) { id } }', 0],
    ['{ unset { id } }', 10],
    ['{ either2(first: 2, last: 6) { id } }', 6],
    ['{ page(first: 5) { nodes { id } } }', 6],
    ['{ page(first: 5) { edges { node { id } } } }', 11],
    ['{ page(first: 5) { total last { id } nodes { thing { id } } } }', 12],
    ['{ page { ...P } } fragment P on Page { nodes { id } last { id } }', 22],
    ['{ a: page(first: 2) { ...P } b: page(first: 3) { ...P } } fragment P on Page { nodes { id } }', 7],
    ['{ page(first: 4) { ... on Page { ... { nodes { id } } } } }', 5],
    ['{ thing { id @skip(if: true) thing @include(if: false) { id } } }', 2],
    ['{ either { ... on Thing { thing { id } } ... on Other { id } } }', 2],
    ['{ either { __typename } }', 1],
    ['{ search { id } }', 1],
    ['{ search(words: ["a", "b"]) { id } }', 5],
    ['{ search(part: { word: "a" }) { id } }', 4],
    ['{ search(part: { word: "a", parts: [{ word: "b" }, {}] }) { id } }', 8],
    ['{ search(part: null) { id } }', 1],
    ['mutation { do { id } }', 31],
    ['{ _entities(representations: ["a", "b"]) { thing { id } } }', 4],
    ['{ __schema { types { fields { name } } } }', 0],
    ['{ unknown { id } thing { unknown { id } } }', 1],
  ])('of %s is %i', (text, cost) => expect(costOf(text)).toBe(cost))

  it.each<[string, Record<string, unknown>, number]>([
    ['query ($n: Int!) { sliced(first: $n) { id } }', { n: 9 }, 9],
    ['query ($n: Int) { unset(first: $n) { id } }', { n: null }, 10],
    ['query ($n: Int) { either2(first: 3, last: $n) { id } }', { n: 8 }, 8],
    ['query ($n: Int!) { page(first: $n) { nodes { list { id } } last { id } } }', { n: 2 }, 24],
    ['query ($n: Int!, $m: Int!) { page(first: $n) { nodes { id } } sliced(first: $m) { dear } }', { n: 2, m: 3 }, 15],
    [
      'query ($n: Int!) { page(first: $n) { ...P } } fragment P on Page { nodes { id } edges { node { id } } }',
      { n: 2 },
      7,
    ],
    ['query ($p: Part) { search(part: $p) { id } }', { p: { word: 'a', parts: [{ word: 'b' }] } }, 7],
    ['query ($w: String) { search(part: { word: $w }) { id } }', { w: 'a' }, 4],
    ['query ($w: String) { search(part: { word: $w }) { id } }', { w: null }, 2],
    ['query ($r: [ID!]!) { _entities(representations: $r) { id } }', { r: ['a', 'b', 'c'] }, 3],
  ])('of %s with %j is %i', (text, variables, cost) => expect(costOf(text, variables)).toBe(cost))

  it('of entities is told apart from that of the other fields', () => {
    const text = '{ _entities(representations: ["a", "b"]) { thing { id } } thing { id } }'
    expect(weigh(text)).toMatchObject({ cost: 1, entityCost: 4 })
    expect(
      weigh('{ ...E thing { id } } fragment E on Query { _entities(representations: ["a"]) { id } }'),
    ).toMatchObject({
      cost: 1,
      entityCost: 1,
    })
  })

  it('is worked out anew for every request, and once for what does not depend on it', () => {
    const { weigh: again } = measure('query ($n: Int!) { sliced(first: $n) { id } }')
    expect([1, 5, 2].map((n) => again({ n }).cost)).toEqual([1, 5, 2])
  })

  it('cannot be read from a schema that slices by an argument that is not there', () => {
    const wrong = buildSchema(`
      directive @listSize(slicingArguments: [String!]) on FIELD_DEFINITION
      type Query { things(first: Int): [Int] @listSize(slicingArguments: ["frist"]) }
    `)
    const document = parse('{ things }')
    const other = { schema: wrong, costs: readSchemaCosts(wrong) }
    expect(() => measureDocument(other, document)).toThrow('slices things by frist')
  })
})

describe('the size', () => {
  it.each<[string, number]>([
    ['{ count }', 1],
    ['{ thing { thing { id } } }', 3],
    ['{ thing { ... { ... on Thing { id } } } }', 2],
    ['{ ...A } fragment A on Query { thing { ...B } } fragment B on Thing { thing { id } }', 3],
    ['{ count thing { ...Missing } }', 1],
    ['{ __schema { types { fields { type { name } } } } count }', 1],
  ])('of %s is a depth of %i', (text, depth) => expect(measure(text).depth).toBe(depth))

  it.each<[string, number]>([
    ['{ count }', 0],
    ['{ thing { __typename } }', 0],
    ['{ __schema { types { name } } }', 3],
    ['{ ...A } fragment A on Query { ... { __type(name: "Thing") { fields { name } } } }', 3],
  ])('of %s is a depth of introspection of %i', (text, depth) => expect(measure(text).introspectionDepth).toBe(depth))

  it.each<[string, number]>([
    ['{ a: count }', 1],
    ['{ count: count }', 1],
    ['{ count count count }', 2],
    ['{ thing { id } thing { name } }', 1],
    ['{ count ... { count ... on Query { count } } }', 1],
    ['{ either { ... on Thing { id name } ... on Other { id name } } }', 0],
    ['{ either { ... on Thing { id } ... on Thing { id } } }', 1],
    ['{ ...A ...A } fragment A on Query { a: count b: count }', 4],
    ['{ ...A ...B } fragment A on Query { count } fragment B on Query { count }', 0],
  ])('of %s is %i aliases', (text, aliases) => expect(measure(text).aliases).toBe(aliases))

  it.each<[string, number]>([
    ['{ count thing { id name } }', 2],
    ['{ ...A ...A count } fragment A on Query { count ... { thing { id } } }', 5],
  ])('of %s is %i root fields', (text, fields) => expect(measure(text).rootFields).toBe(fields))

  it.each<[string, number]>([
    ['{ count @a @b }', 2],
    ['query ($n: Int @a) @b { count ... @c { count } }', 3],
    ['{ ...A @a ...A @b } fragment A on Query @c { count @d }', 6],
  ])('of %s is %i directives', (text, directives) => expect(measure(text).directives).toBe(directives))

  it('of the largest page and the longest list of representations is told', () => {
    const text = `query ($n: Int!, $r: [ID!]!) {
      sliced(first: 7) { id } ...A _entities(representations: $r) { id } b: _entities(representations: ["a"]) { id }
    } fragment A on Query { page(first: $n) { total } }`
    expect(weigh(text, { n: 3, r: ['a', 'b'] })).toMatchObject({ page: { argument: 'first', size: 7 }, entities: 2 })
    expect(weigh(text, { n: 9, r: [] })).toMatchObject({ page: { argument: 'first', size: 9 }, entities: 1 })
    expect(weigh('{ count }')).toEqual({ cost: 0, entityCost: 0, entities: 0, page: null })
  })
})

describe('operations of one document', () => {
  it('are measured each by itself, also where they share a fragment', () => {
    const text = `query A($n: Int!) { ...F } query B { ...F count @a sliced(first: 7) { id } }
      fragment F on Query { page(first: $n) { nodes { id } } }`
    const { operations, isComplete } = measureDocument(fixture, parse(text))
    expect(operations.map(({ measures }) => measures)).toMatchObject([
      { directives: 0, rootFields: 1 },
      { directives: 1, rootFields: 3 },
    ])
    expect(operations.map(({ measures }) => measures.weigh({ n: 3 }))).toMatchObject([
      { cost: 4, page: { argument: 'first', size: 3 } },
      { cost: 11, page: { argument: 'first', size: 7 } },
    ])
    expect(isComplete).toBe(true)
  })

  it.each([
    '{ count } fragment F on Query { count }',
    '{ ...F } fragment F on Query { count } fragment F on Query { count }',
    'fragment F on Query { count }',
    '{ count } type Extra { id: ID }',
  ])('do not hold everything in %s', (text) => {
    expect(measureDocument(fixture, parse(text)).isComplete).toBe(false)
  })
})

describe('fragments', () => {
  it.each([
    '{ ...A } fragment A on Query { ...A }',
    '{ ...A } fragment A on Query { ...B } fragment B on Query { count ...A }',
  ])('that run in circles are noticed: %s', (text) => expect(measure(text).cyclic).toBe(true))

  it('that are spread twice are no circle', () => {
    expect(
      measure('{ ...A ...A thing { ...T thing { ...T } } } fragment A on Query { count } fragment T on Thing { id }')
        .cyclic,
    ).toBe(false)
  })

  it('that double at each step are walked once each', () => {
    const steps = 60
    const fragments = Array.from(
      { length: steps },
      (_, step) => `fragment F${step} on Query { ...F${step + 1} ...F${step + 1} }`,
    )
    const text = `query ($n: Int!) { ...F0 } ${fragments.join(' ')} fragment F${steps} on Query { a: count sliced(first: $n) { id } }`
    const { aliases, rootFields, weigh: again } = measure(text)
    expect([aliases, rootFields, again({ n: 2 }).cost]).toEqual([2 ** 60, 2 ** 61, 2 ** 61])
  })

  it.each([
    '{ _service { id } }',
    '{ x: _entities(representations: []) { id } }',
    '{ ...A } fragment A on Query { ... on Query { ...B } } fragment B on Query { __schema { description } }',
    'query ($yes: Boolean!) { _service @include(if: $yes) { id } }',
    '{ ...A ...B } fragment A on Query { count } fragment B on Query { ...A _service { id } }',
  ])('do not hide what is for the router: %s', (text) => expect(measure(text).forRouter).toBe(true))

  it.each([
    '{ count }',
    '{ _service: count }',
    '{ __typename thing { _service } }',
    '{ ...A } fragment A on Query { count } fragment Unused on Query { _service { id } }',
  ])('and other fields are for everyone: %s', (text) => expect(measure(text).forRouter).toBe(false))
})
