import { join } from 'node:path'
import { ESLint } from 'eslint'
import { describe, expect, it } from 'vitest'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { reachableTypes } from '../federation/schema-parts.ts'

const cwd = join(import.meta.dirname, '../..')
const eslint = new ESLint({ cwd })

describe('the lint of the schema', () => {
  it('touches no other file', async () => {
    const files = ['src/app.ts', 'schema.released.graphql', 'docs/federation/orders.graphql', 'codegen.ts']
    const isIgnored = files.map((file) => eslint.isPathIgnored(join(cwd, file)))
    expect(await Promise.all(isIgnored)).toEqual(files.map(() => true))
    expect(await eslint.isPathIgnored(join(cwd, 'schema.graphql'))).toBe(false)
  })
})

describe('the types of the schema', () => {
  const schema = createSchema({ production: true })

  it('go by the names that the contract gives them, in introspection too', () => {
    expect(Object.entries(schema.getTypeMap()).filter(([name, type]) => name !== type.name)).toEqual([])
  })

  it('can all be reached by an operation, or stand in a directive', () => {
    const reached = reachableTypes(schema)
    const unreached = Object.keys(schema.getTypeMap()).filter((name) => !reached.has(name) && !name.includes('__'))
    expect(unreached).toEqual(['CacheControlScope'])
  })
})
