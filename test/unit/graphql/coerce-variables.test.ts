import {
  anything,
  assert,
  constant,
  constantFrom,
  dictionary,
  type Arbitrary,
  oneof,
  property,
  record,
} from 'fast-check'
import { buildSchema, getVariableValues, parse, type OperationDefinitionNode } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createVariableCoercion } from '../../../src/graphql/admission/read-request.ts'
import { createSchema } from '../../../src/graphql/schema/schema.ts'

const TYPES = `
  enum Kind { CAT DOG }
  input Name { first: String!, last: String = "None", kinds: [Kind!] = [CAT] }
  input Tree { name: Name, value: Float, children: [Tree!], grid: [[Int]!] }
  input Choice @oneOf { id: ID, name: Name }
  scalar Anything
  type Query { any: Int }
`
const VARIABLES = [
  ...'Int Float! String! ID Boolean Kind! [Kind!] Anything Name [Name!]! Tree [Tree!]! Choice'.split(' '),
  'Int = 3',
  '[[Int]!] = [1]',
  'Name = { first: "Ada" }',
].map((type) => `$a: ${type}`)
const MANY = ['$a: Int, $b: [Kind], $c: Name, $d: Anything', '$__proto__: Int, $constructor: ID, $a: Tree']
/** Types of the product's own schema, some of which parse their input. */
const OWN_VARIABLES = [
  '[CurrencyCode!]',
  'PaymentAmountInput!',
  'DateTime',
  '[_Any!]!',
  'PaymentsFilter',
  'CreatePaymentLinkInput',
].map((type) => `$a: ${type}`)

const leaf = oneof(
  constantFrom<unknown>(null, undefined, 0, 7, 1.5, -0, 2 ** 40, true, '', 'CAT', 'DOG', 'AUD', '12.50', '1', 'x'),
  constantFrom<unknown>('2026-01-02T03:04:05.678Z', '2026-13-02', 'https://shop.example/', {
    value: '1',
    currency: 'AUD',
  }),
)
const NAMES = 'first last kinds name value children grid id currency amount reference __typename'.split(' ')
const named = (value: Arbitrary<unknown>) => dictionary(constantFrom(...NAMES), value, { maxKeys: 3 })
const name = record({ first: constantFrom<unknown>('Ada', 7) }, { requiredKeys: [] })
const shallow = oneof(
  leaf,
  name,
  named(leaf),
  constant([]),
  leaf.map((value) => [value]),
)
const tree = record(
  { name: oneof(name, leaf), value: leaf, grid: constantFrom([[1]], [[null]], [null], 3) },
  { requiredKeys: [] },
)
const value = oneof(
  { weight: 4, arbitrary: shallow },
  tree,
  oneof(tree, shallow).map((child) => ({ children: [child], name: { first: 'Ada' } })),
  shallow.map((item) => [item, item]),
  named(shallow),
  anything(),
)
const values = oneof(
  value.map((a) => ({ a })),
  dictionary(constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor', 'other'), value, { maxKeys: 5 }),
)

describe('compiled coercion of variables', () => {
  it.each([
    { schema: buildSchema(TYPES), variables: [...VARIABLES, ...MANY] },
    { schema: createSchema({ production: true }), variables: OWN_VARIABLES },
  ])('gives what graphql-js gives, errors included: %#', ({ schema, variables }) => {
    const nodes = variables.map((text) => parse(`query (${text}) { any }`).definitions[0] as OperationDefinitionNode)
    for (const options of [
      { maxErrors: 2, hideSuggestions: true },
      { maxErrors: 5, hideSuggestions: false },
    ]) {
      const coerce = createVariableCoercion(schema, options)
      let coerced = 0
      assert(
        property(constantFrom(...nodes), values, (node, given) => {
          const expected = getVariableValues(schema, node.variableDefinitions ?? [], given, options)
          const found = coerce(node, given)
          expect(found).toStrictEqual(expected)
          // Resolvers can observe the order of the fields.
          expect(JSON.stringify(found)).toBe(JSON.stringify(expected))
          if (expected.errors === undefined) coerced += 1
        }),
        { numRuns: 1_000 },
      )
      expect(coerced).toBeGreaterThan(100)
    }
  })

  it('takes the name of the prototype for one like any other', () => {
    const [node] = parse('query ($__proto__: Int) { any }').definitions
    const coerce = createVariableCoercion(buildSchema(TYPES), {})
    const given = JSON.parse('{ "__proto__": 3 }') as Record<string, unknown>
    expect(JSON.stringify(coerce(node as OperationDefinitionNode, given))).toBe('{"coerced":{"__proto__":3}}')
  })
})
