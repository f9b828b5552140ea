import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import plugin, { configs, parser } from '@graphql-eslint/eslint-plugin'
import { ESLint, type Linter } from 'eslint'
import { buildSchema, isScalarType } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/process.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** The schema that the package exports. */
let text: string
let folder: string
beforeAll(() => {
  folder = temporaryFolder(afterAll)
  const { status, stderr } = spawnSync(process.execPath, ['scripts/client-schema.ts', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  text = readFileSync(join(folder, 'client.graphql'), 'utf8')
  cpSync(join(ROOT, 'packages/client/src/operations'), folder, { recursive: true })
})

/** Returns what graphql-eslint finds in files by some of its rules, as `rule: message`. */
async function findings(rules: Linter.RulesRecord, files: string[]): Promise<string[]> {
  const documents = join(folder, '{parts,poll,shop,watch}.graphql')
  const eslint = new ESLint({
    cwd: folder,
    overrideConfigFile: true,
    overrideConfig: [
      {
        files: ['*.graphql'],
        // Its types are those of an older ESLint.
        plugins: { '@graphql-eslint': plugin as unknown as ESLint.Plugin },
        languageOptions: { parser, parserOptions: { graphQLConfig: { schema: text, documents } } },
        rules,
      },
    ],
  })
  const results = await eslint.lintFiles(files)
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`))
}

// Lists go forward only, so its rules about `last` and `before` do not apply.
it('has pages as graphql-eslint expects them for Relay', async () => {
  const rules = {
    '@graphql-eslint/relay-connection-types': 'error',
    '@graphql-eslint/relay-page-info': 'error',
  } as const
  expect(await findings(rules, ['client.graphql'])).toEqual([])
})

it('is what graphql-eslint checks operations by, with the rules that it recommends', async () => {
  // The kit has no cache that needs the ids.
  const rules = { ...configs['flat/operations-recommended'].rules, '@graphql-eslint/require-selections': 'off' }
  const files = ['watch.graphql', 'poll.graphql', 'shop.graphql']
  expect(await findings(rules as Linter.RulesRecord, files)).toEqual([])
  writeFileSync(join(folder, 'wrong.graphql'), 'query Wrong { payments { nodes { id amounts } } }')
  const onlyFields = { '@graphql-eslint/fields-on-correct-type': 'error' } as const
  expect(await findings(onlyFields, ['wrong.graphql'])).toEqual([expect.stringContaining('"amounts"')])
})

it('says of each scalar of its own what specifies its values', () => {
  const scalars = Object.values(buildSchema(text).getTypeMap()).filter((type) => isScalarType(type))
  const unspecified = scalars.filter(({ specifiedByURL }) => specifiedByURL === null || specifiedByURL === undefined)
  expect(unspecified.map(({ name }) => name).toSorted()).toEqual(['Boolean', 'ID', 'Int', 'String'])
})
