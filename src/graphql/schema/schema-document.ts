import { readFileSync } from 'node:fs'
import { parse, type DocumentNode } from 'graphql'

const SCHEMA_FILE = new URL('../../../schema.graphql', import.meta.url)

/** Returns schema.graphql, parsed. */
export function readSchemaDocument(): DocumentNode {
  return parse(readFileSync(SCHEMA_FILE, 'utf8'))
}
