/** Prints the example supergraph, composed from the subgraphs in docs/federation/supergraph.yaml. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { composeServices } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { parse as parseYaml } from 'yaml'

type Input = {
  readonly subgraphs: Readonly<
    Record<string, { readonly routing_url: string; readonly schema: { readonly file: string } }>
  >
}

const INPUT = join(import.meta.dirname, '../docs/federation/supergraph.yaml')

const { subgraphs } = parseYaml(readFileSync(INPUT, 'utf8')) as Input
const { errors, supergraphSdl } = composeServices(
  Object.entries(subgraphs).map(([name, { routing_url: url, schema }]) => ({
    name,
    url,
    typeDefs: parse(readFileSync(join(dirname(INPUT), schema.file), 'utf8')),
  })),
)
for (const { message } of errors ?? []) console.error(message)
if (supergraphSdl === undefined) process.exit(1)
process.stdout.write(`${supergraphSdl}\n`)
