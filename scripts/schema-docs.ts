/**
 * Writes docs/schema.md from schema.graphql: every operation by area, with its arguments, scopes, cost, errors and types; and the tables
 * of settings in docs/settings.md and of limits in docs/operations/overload.md from the comments of the source, the list of metrics,
 * and of promises in docs/reliability.md and docs/security.md from the comments of the tests.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { withMetrics } from './metrics-list.ts'
import { promisesIn, withPromises } from './promises.ts'
import { schemaPage } from './schema-page.ts'
import { withSettings, withSocketLimits } from './settings-tables.ts'

const read = (path: string) => readFileSync(path, 'utf8')
const write = (path: string, text: string) => {
  const isNew = read(path) !== text
  if (isNew) writeFileSync(path, text)
  console.log(`${path}: ${isNew ? 'written' : 'unchanged'}`)
}

write('docs/schema.md', schemaPage(read('schema.graphql')))
write(
  'docs/operations/overload.md',
  withSocketLimits(read('docs/operations/overload.md'), read('src/config/limits.ts')),
)
write('docs/operations/metrics.md', withMetrics(read('docs/operations/metrics.md')))
write('docs/settings.md', withSettings(read('docs/settings.md'), read('src/config/settings.ts')))

const textsOf = (pattern: string) =>
  new Map(
    globSync(pattern)
      .toSorted()
      .map((path) => [path, read(path)]),
  )
const promises = promisesIn(textsOf('{test,{packages,examples}/*/test}/**/*.ts'))
for (const page of ['docs/reliability.md', 'docs/security.md']) write(page, withPromises(read(page), promises))
