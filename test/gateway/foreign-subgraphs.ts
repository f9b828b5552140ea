import { ApolloServer } from '@apollo/server'
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled'
import { startStandaloneServer } from '@apollo/server/standalone'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'

/** A subgraph of another team, as a gateway sees it. */
export type ForeignSubgraph = {
  readonly name: string
  readonly url: string
  readonly sdl: string
  close(): Promise<void>
}

const ORDERS = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external", "@requires"])

  type Order @key(fields: "id") {
    id: ID!
    customer: Customer!
    paymentLink: PaymentLink
    method: PayinMethod
  }

  type Customer @key(fields: "id", resolvable: false) { id: ID! }
  type PayinMethod @key(fields: "code", resolvable: false) { code: ID! }

  type PaymentLink @key(fields: "id") {
    id: ID!
    reference: String! @external
    order: Order @requires(fields: "reference")
  }

  type Query {
    "One order for each link that is named."
    orders(links: [ID!]!): [Order!]!
    "As many orders as are asked for, each with one of a few methods."
    basket(methods: [ID!]!, count: Int!): [Order!]!
  }
`

const CUSTOMERS = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])

  interface Node { id: ID! }

  type Customer implements Node @key(fields: "id") { id: ID! name: String! }

  type Query {
    customers: [Customer!]!
    node(id: ID!): Node
  }
`

type LinkReference = { readonly id: string; readonly reference?: string }

/** Starts the subgraph of orders, which refer to our links and methods, and add a field to our links that requires one of ours. */
export function startOrders(): Promise<ForeignSubgraph> {
  const order = (id: string) => ({ id, customer: { id: `customer-of-${id}` } })
  return start('orders', ORDERS, {
    Query: {
      orders: (_: unknown, { links }: { links: string[] }) =>
        links.map((id, index) => ({ ...order(String(index)), paymentLink: { id } })),
      basket: (_: unknown, { methods, count }: { methods: string[]; count: number }) =>
        Array.from({ length: count }, (_item, index) => ({
          ...order(String(index)),
          method: { code: methods[index % methods.length] },
        })),
    },
    Order: { __resolveReference: ({ id }: { id: string }) => order(id) },
    PaymentLink: {
      __resolveReference: (link: LinkReference) => link,
      order: ({ id, reference }: LinkReference) =>
        reference === undefined ? null : { ...order(reference), paymentLink: { id } },
    },
  })
}

/** Starts the subgraph of customers, which does not refer to payments, and has the nodes of Relay. */
export function startCustomers(): Promise<ForeignSubgraph> {
  const customer = (id: string) => ({ id, name: `Name of ${id}` })
  return start('customers', CUSTOMERS, {
    Query: {
      customers: () => [customer('1')],
      node: (_: unknown, { id }: { id: string }) => ({ __typename: 'Customer', ...customer(id) }),
    },
    Customer: { __resolveReference: ({ id }: { id: string }) => customer(id) },
  })
}

/** The library's type of resolvers, which it does not export. */
type Module = Extract<
  Extract<Parameters<typeof buildSubgraphSchema>[0], readonly unknown[]>[number],
  { typeDefs: unknown }
>
type Resolvers = NonNullable<Module['resolvers']>

async function start(name: string, sdl: string, resolvers: Resolvers): Promise<ForeignSubgraph> {
  const server = new ApolloServer({
    schema: buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers }]),
    plugins: [ApolloServerPluginInlineTraceDisabled()],
  })
  const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } })
  return { name, url, sdl, close: () => server.stop() }
}
