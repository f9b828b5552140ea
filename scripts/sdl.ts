/**
 * Prints the subgraph's SDL, as `_service { sdl }` returns it to a router, for publication to a schema registry. With `--without-scopes`,
 * without `@requiresScopes`.
 */
import { parseArgs } from 'node:util'
import { graphqlSync } from 'graphql'
import { createSchema, withoutScopes } from '../src/graphql/schema/schema.ts'

const { values } = parseArgs({ options: { 'without-scopes': { type: 'boolean' } } })

const { data, errors } = graphqlSync({ schema: createSchema({ production: true }), source: '{ _service { sdl } }' })
if (data === undefined || data === null) throw new AggregateError(errors ?? [], 'The schema does not print.')
const { sdl } = data['_service'] as { sdl: string }
process.stdout.write(`${values['without-scopes'] === true ? withoutScopes(sdl) : sdl}\n`)
