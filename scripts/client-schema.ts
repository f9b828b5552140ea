/**
 * Writes what other tools need of the schema to dist/schema: the schema as clients see it, since Relay's compiler and linters refuse that
 * of a subgraph; the types of the scalars, for code generators; and the schema of the subgraph without scopes, for gateways that refuse them.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefinitionNode, type GraphQLSchema, Kind, parse, print, printSchema, visit } from 'graphql'
import { WIRE_SCALARS } from '../codegen.ts'
import { createSchema, withoutScopes } from '../src/graphql/schema/schema.ts'

/** The folder to write to. */
const [, , TARGET = 'dist/schema'] = process.argv
/** Names of federation: `_Service`, `federation__Scope`. */
const FEDERATION = /^_|__/

const schema = createSchema({ production: true })
mkdirSync(TARGET, { recursive: true })
write('client.graphql', clientSchema(schema))
write('subgraph-without-scopes.graphql', `${withoutScopes(readFileSync('schema.graphql', 'utf8'))}\n`)
write(
  'scalars.json',
  `${JSON.stringify(WIRE_SCALARS, (name, type: unknown) => (FEDERATION.test(name) ? undefined : type), 2)}\n`,
)

/** Returns the SDL without the types, fields and directives that only a router or a server uses. */
function clientSchema(whole: GraphQLSchema): string {
  const document = visit(parse(printSchema(whole)), {
    DirectiveDefinition: () => null,
    FieldDefinition: ({ name }) => (FEDERATION.test(name.value) ? null : undefined),
  })
  const used = new Set<string>()
  visit(document, { NamedType: ({ name }) => void used.add(name.value) })
  const isUsed = (definition: DefinitionNode) =>
    'name' in definition &&
    !FEDERATION.test(definition.name?.value ?? '') &&
    (definition.kind !== Kind.ENUM_TYPE_DEFINITION || used.has(definition.name.value))
  return `${print({ ...document, definitions: document.definitions.filter(isUsed) })}\n`
}

function write(file: string, text: string): void {
  writeFileSync(join(TARGET, file), text)
}
