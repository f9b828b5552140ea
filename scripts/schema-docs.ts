/** Writes docs/schema.md from schema.graphql: every operation by area, with its arguments, scopes, cost, errors and types. */
import { readFileSync, writeFileSync } from 'node:fs'
import { schemaPage } from './schema-page.ts'

const PAGE = 'docs/schema.md'

writeFileSync(PAGE, schemaPage(readFileSync('schema.graphql', 'utf8')))
console.log(`${PAGE} is up to date.`)
