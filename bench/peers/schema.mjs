/** The product's schema with resolvers over methods in memory: `nodes` of the whole list, with every field. No rights. */
import { readFileSync } from 'node:fs'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'

/** @param resolvers Further ones, by type. */
export function buildSchema(resolvers = {}) {
  const nodes = process.env.METHODS === undefined ? [] : JSON.parse(readFileSync(process.env.METHODS, 'utf8'))
  const typeDefs = parse(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'))
  const Query = { payinMethods: (_source, args) => ({ nodes: nodes.filter((method) => matches(method, args)) }) }
  return buildSubgraphSchema([{ typeDefs, resolvers: { Query, ...resolvers } }])
}

function matches(method, { currencies, amount, kinds }) {
  if (currencies && !currencies.includes(method.currency)) return false
  if (kinds && !kinds.includes(method.kind)) return false
  if (!amount) return true
  const { minAmount, maxAmount, currency } = method
  const value = Number(amount.value)
  return amount.currency === currency && value >= Number(minAmount.value) && value <= Number(maxAmount.value)
}
