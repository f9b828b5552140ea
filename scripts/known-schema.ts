import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'graphql'
import type { Plugin } from 'vite'

/** What is replaced in a module, by the end of its path. */
const REPLACED = {
  'src/graphql/schema/schema-document.ts': ["parse(readFileSync(SCHEMA_FILE, 'utf8'))", documentOf],
  'node_modules/@apollo/subgraph/dist/buildSubgraphSchema.js': [
    '(0, graphql_1.buildASTSchema)(subgraph.document)',
    () => '(0, graphql_1.buildASTSchema)(subgraph.document, { assumeValidSDL: true })',
  ],
} as const

/**
 * Puts the parsed schema.graphql into a bundle, and has its SDL not validated again: the tests validate it at each run. Parsing and
 * validating it would be a tenth of the time of a start. Throws if a module has changed, so that nothing is replaced in it.
 */
export function knownSchema(root: string): Plugin {
  return {
    name: 'known-schema',
    enforce: 'pre',
    transform: {
      filter: { id: Object.keys(REPLACED).map((path) => join(root, path)) },
      handler(code, id) {
        const [text, replacement] = Object.entries(REPLACED).find(([path]) => id === join(root, path))?.[1] ?? []
        if (text === undefined || replacement === undefined || !code.includes(text))
          throw new Error(`${id} has changed.`)
        return code.replace(text, () => replacement(root))
      },
    },
  }
}

/** As JSON in a text, which is read in less time than an object literal. */
function documentOf(root: string): string {
  const document = parse(readFileSync(join(root, 'schema.graphql'), 'utf8'), { noLocation: true })
  return `JSON.parse(${JSON.stringify(JSON.stringify(document))})`
}
