import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ESLint } from 'eslint'
import { describe, expect, it } from 'vitest'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { reachableTypes } from '../federation/schema-parts.ts'

const cwd = join(import.meta.dirname, '../..')
const sdl = readFileSync(join(cwd, 'schema.graphql'), 'utf8')
const eslint = new ESLint({ cwd })

/** Returns the names of the rules that an SDL breaks when it is linted as `schema.graphql`. */
async function brokenRules(text: string): Promise<(string | null)[]> {
  const results = await eslint.lintText(text, { filePath: join(cwd, 'schema.graphql') })
  return [...new Set(results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId)))]
}

describe('the lint of the schema', () => {
  it('finds nothing', async () => {
    expect(await brokenRules(sdl)).toEqual([])
  })

  it.each([
    ['require-description', 'type Note { text: String }'],
    ['require-description', '"A note." type Note { "Text." text("How long." most: Int, least: Int): String }'],
    ['require-description', '"A note." enum Note { LONG }'],
    ['require-description', '"A note." input Note { text: String }'],
    ['require-description', 'directive @note on FIELD_DEFINITION'],
    ['no-hashtag-description', '# A note.\n type Note { "Text." text: String }'],
    ['naming-convention', '"A note." type payment_note { "Text." text: String }'],
    ['naming-convention', '"A note." type Note { "Text." note_text: String }'],
    ['naming-convention', '"A note." enum Note { "Long." long }'],
    ['naming-convention', 'extend type Query { "A note." getNote: String }'],
    ['no-typename-prefix', '"A note." type Note { "Text." noteText: String }'],
    ['unique-enum-value-names', '"A note." enum Note { "Long." LONG "Long." Long }'],
    ['no-scalar-result-type-on-mutation', 'extend type Mutation { "Makes a note." createNote: Boolean }'],
    ['require-deprecation-reason', '"A note." type Note { "Text." text: String @deprecated }'],
    ['relay-connection-types', '"Notes." type NoteConnection { "Notes." nodes: [String] }'],
  ])('asks for %s', async (rule, addition) => {
    expect(await brokenRules(`${sdl}\n${addition}\n`)).toContain(`graphql/${rule}`)
  })

  it('touches no other file', async () => {
    const files = ['src/app.ts', 'schema.released.graphql', 'test/federation/subgraphs/orders.graphql', 'codegen.ts']
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
