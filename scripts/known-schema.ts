import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'graphql'
import type { Plugin } from 'vite'

/** The parsed schema. A text in the code would stay in memory. */
const DOCUMENT = 'program/schema.json'

/** What is replaced in a module, by the end of its path. */
const REPLACED = {
  'src/graphql/schema/schema-document.ts': [
    "parse(readFileSync(SCHEMA_FILE, 'utf8'))",
    `JSON.parse(readFileSync(new URL('../../${DOCUMENT}', import.meta.url), 'utf8'))`,
  ],
  'node_modules/@apollo/subgraph/dist/buildSubgraphSchema.js': [
    '(0, graphql_1.buildASTSchema)(subgraph.document)',
    '(0, graphql_1.buildASTSchema)(subgraph.document, { assumeValidSDL: true })',
  ],
} as const

/**
 * Puts the parsed schema.graphql beside a bundle, and has its SDL not validated again: the tests validate it at each run. Parsing and
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
        return code.replace(text, replacement)
      },
    },
    generateBundle() {
      const document = parse(readFileSync(join(root, 'schema.graphql'), 'utf8'), { noLocation: true })
      this.emitFile({ type: 'asset', fileName: DOCUMENT, source: JSON.stringify(document) })
    },
  }
}
