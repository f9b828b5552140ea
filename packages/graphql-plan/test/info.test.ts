import { buildSchema, type GraphQLResolveInfo } from 'graphql'
import { expect, it } from 'vitest'
import { createLibraryExecutor, createPlannedExecutor, type Execute } from '../src/index.ts'
import { executable } from './both-executors.ts'

const schema = buildSchema('type Query { cat(name: String): Cat } type Cat { age: Int }')

/** Returns the `info` that the resolver of `cat` gets. */
async function infoOf(execute: Execute): Promise<GraphQLResolveInfo> {
  const operation = executable(schema, 'query ($name: String) { own: cat(name: $name) { age } }', { name: 'Ada' })
  const seen: GraphQLResolveInfo[] = []
  const { cat } = schema.getQueryType()?.getFields() ?? {}
  if (operation === null || cat === undefined) throw new Error('The operation is not valid.')
  cat.resolve = (_source, _args, _context, info) => void seen.push(info)
  await execute(operation, {}, { root: true })
  return seen[0] as GraphQLResolveInfo
}

it('gives a resolver the info of graphql-js, but for its path, which says so', async () => {
  const { path, ...expected } = await infoOf(createLibraryExecutor(schema))
  const planned = await infoOf(createPlannedExecutor(schema))
  expect({ ...planned }).toEqual(expected)
  expect(path.key).toBe('own')
  expect(() => planned.path).toThrow('has no info.path')
})
