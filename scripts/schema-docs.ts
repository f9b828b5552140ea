/**
 * Writes docs/schema.md from schema.graphql: every operation by area, with its arguments, scopes, cost, errors and types; and the tables
 * of settings in docs/settings.md and of limits in docs/operations.md from the comments of the source.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { schemaPage } from './schema-page.ts'
import { withSettings, withSocketLimits } from './settings-tables.ts'

const read = (path: string) => readFileSync(path, 'utf8')
const write = (path: string, text: string) => {
  writeFileSync(path, text)
  console.log(`${path} is up to date.`)
}

write('docs/schema.md', schemaPage(read('schema.graphql')))
write('docs/operations.md', withSocketLimits(read('docs/operations.md'), read('src/config/limits.ts')))
write('docs/settings.md', withSettings(read('docs/settings.md'), read('src/config/settings.ts')))
