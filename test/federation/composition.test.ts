import {
  buildASTSchema,
  isEnumType,
  isScalarType,
  isTypeDefinitionNode,
  isUnionType,
  parse,
  validate,
  type GraphQLNamedType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { composers, customers, neighbour, orders, payments, returns, subgraph } from './composers.ts'

const LINK = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@requires", "@external", "@shareable"])`

/** The customers that orders refer to, for compositions without the subgraph `customers`. */
const PEOPLE = `${LINK}
  type Customer @key(fields: "id") { id: ID! name: String! }
  type Query { customer(id: ID!): Customer }`

/** Operations that need more than one subgraph. */
const OPERATIONS = [
  'query { order(id: "1") { total { cents } paymentLink { checkoutUrl state payment { phase amount { value } } } } }',
  'query { payment(id: "1") { status order { number customer { name credit { value exponent } } } } }',
  'query { customer(id: "1") { agreements { status customer { name } } preferredMethod { name } orders { nodes { total { cents } } pageInfo { endCursor } } } }',
  'query { paymentCurrencies { code exponent smallestAmount } }',
  'subscription { paymentLinkUpdates(id: "1") { kind cursor link { order { placedAt } } } }',
  'subscription { orderUpdates(id: "1") { payments { status } } }',
  'query { return(id: "1") { refund { state amount { value } payment { order { number } } } compensation { statusRaw payoutId } } }',
  'query { payment(id: "1") { owner { id customer { name } } refunds { return { id } } } paymentLink(id: "1") { isQuickReturn owner { customer { since } } } }',
  'query { paymentCustomer(id: "1") { nodeId customer { name } } customer(id: "1") { contact { identityStatus customer { name } } } }',
  'query { payout(id: "1") { transactions { payoutId return { id } } } }',
]

/** Another subgraph with the nodes of Relay. */
const NODES = `${LINK}
  interface Node { id: ID! }
  type Crate implements Node @key(fields: "id") { id: ID! }
  type Query { node(id: ID!): Node @shareable nodes(ids: [ID!]!): [Node]! @shareable }`

const theirs = buildASTSchema(neighbour.typeDefs, { assumeValidSDL: true })

/** The fields or values of a type, by name. */
function fieldsOf(type: GraphQLNamedType | undefined): readonly string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  if (isUnionType(type)) return type.getTypes().map(({ name }) => name)
  if (type === undefined || isScalarType(type)) throw new Error(`The supergraph has no such type: ${type?.name}`)
  return Object.keys(type.getFields()).toSorted()
}

describe.each(composers)('composition by $name', ({ compose }) => {
  const { schema: supergraph } = compose([payments, orders, customers, returns])

  it.each([
    ['alone', [payments]],
    ['with a subgraph on federation 2.3', [payments, orders, subgraph('people', PEOPLE)]],
    ['with subgraphs on federation 2.3 and 2.9', [payments, orders, customers]],
    ['with subgraphs that come before it', [returns, customers, orders, payments]],
  ])('has no errors and no hints: %s', (_name, subgraphs) => {
    const { errors, hints, schema } = compose(subgraphs)
    expect(errors).toEqual([])
    expect(hints).toEqual([])
    expect(schema).not.toBeNull()
  })

  it('keeps our nodes apart from the nodes of another subgraph', () => {
    const { errors, hints, schema } = compose([payments, orders, customers, subgraph('crates', NODES)])
    expect(errors).toEqual([])
    expect(hints).toEqual([])
    const ofBoth = `{ node(id: "1") { id ... on Crate { id } }
      paymentsNode(nodeId: "1") { nodeId ... on Payment { phase order { number } } ... on PaymentAgreement { customer { name } } } }`
    expect(schema === null ? null : validate(schema, parse(ofBoth))).toEqual([])
    expect(schema?.getType('Node')?.toString()).toBe('Node')
  })

  it('shares no type with a neighbour that uses the common names', () => {
    const { errors, hints, schema } = compose([payments, orders, customers, neighbour])
    expect(errors).toEqual([])
    expect(hints).toEqual([])
    for (const { name } of neighbour.typeDefs.definitions.filter(isTypeDefinitionNode)) {
      if (name.value === 'Query') continue
      expect(fieldsOf(schema?.getType(name.value))).toEqual(fieldsOf(theirs.getType(name.value)))
    }
  })

  it.each(OPERATIONS)('answers across subgraphs: %s', (operation) => {
    if (supergraph === null) throw new Error('The subgraphs do not compose.')
    expect(validate(supergraph, parse(operation))).toEqual([])
  })
})
