/**
 * Writes docs/schema.md from schema.graphql: every operation by area, with its arguments, scopes, cost, errors and types; and the table of
 * limits in docs/operations.md from their descriptions.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { withSocketLimits } from './limits-table.ts'
import { schemaPage } from './schema-page.ts'

const read = (path: string) => readFileSync(path, 'utf8')
const write = (path: string, text: string) => {
  writeFileSync(path, text)
  console.log(`${path} is up to date.`)
}

write('docs/schema.md', schemaPage(read('schema.graphql')))
write('docs/operations.md', withSocketLimits(read('docs/operations.md'), read('src/config/limits.ts')))
