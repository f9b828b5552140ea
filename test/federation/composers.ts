import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { composeSchemaContract, composeServices } from '@theguild/federation-composition'
import { federateSubgraphs, federateSubgraphsContract } from '@wundergraph/composition'
import { buildASTSchema, parse, type DocumentNode, type GraphQLSchema } from 'graphql'

const root = join(import.meta.dirname, '../..')

export type Subgraph = { readonly name: string; readonly url: string; readonly typeDefs: DocumentNode }

/** The result of a composition: the schema that clients see, or the errors, if there is none; and hints. */
export type Composed = {
  readonly schema: GraphQLSchema | null
  readonly errors: readonly string[]
  readonly hints: readonly string[]
}

export type Composer = {
  readonly name: string
  readonly compose: (subgraphs: readonly Subgraph[]) => Composed
  /** Composes the contract in which everything with an excluded tag, or without an included one, is hidden. */
  readonly contract: (subgraphs: readonly Subgraph[], tags: TagFilter) => Composed
}

export type TagFilter = { readonly include?: readonly string[]; readonly exclude?: readonly string[] }

/** The two composers with an open licence: Hive's and Cosmo's. The first one has no hints. */
export const composers: readonly Composer[] = [
  {
    name: 'Hive',
    compose: (subgraphs) => fromHive(composeServices([...subgraphs])),
    contract: (subgraphs, { include = [], exclude = [] }) =>
      fromHive(composeSchemaContract([...subgraphs], { include: new Set(include), exclude: new Set(exclude) })),
  },
  {
    name: 'Cosmo',
    compose: (subgraphs) => fromCosmo(federateSubgraphs({ subgraphs: subgraphs.map(forCosmo) })),
    contract: (subgraphs, { include = [], exclude = [] }) =>
      fromCosmo(
        federateSubgraphsContract({
          subgraphs: subgraphs.map(forCosmo),
          contractTagOptions: { tagNamesToInclude: new Set(include), tagNamesToExclude: new Set(exclude) },
        }),
      ),
  },
]

/** Our subgraph, from `schema.graphql`. */
export const payments = subgraph('payments', readFileSync(join(root, 'schema.graphql'), 'utf8'))

/** Subgraphs of other teams, on federation 2.3 and 2.9, which refer to our types, extend them, and share some. */
export const orders = foreign('docs/federation/orders.graphql')
export const customers = foreign('docs/federation/customers.graphql')
export const returns = foreign('test/federation/subgraphs/returns.graphql')
/** A subgraph that gives common names to types of its own. */
export const neighbour = foreign('test/federation/subgraphs/neighbour.graphql')

export function subgraph(name: string, sdl: string): Subgraph {
  return { name, url: `http://${name}.test/graphql`, typeDefs: parse(sdl) }
}

function foreign(path: string): Subgraph {
  return subgraph(basename(path, '.graphql'), readFileSync(join(root, path), 'utf8'))
}

function fromHive(result: ReturnType<typeof composeServices>): Composed {
  if (result.errors !== undefined)
    return { schema: null, errors: result.errors.map(({ message }) => message), hints: [] }
  return { schema: buildASTSchema(result.publicDocumentNode, { assumeValidSDL: true }), errors: [], hints: [] }
}

function fromCosmo(result: ReturnType<typeof federateSubgraphs>): Composed {
  const hints = result.warnings.map(({ message }) => message)
  if (!result.success) return { schema: null, errors: result.errors.map(({ message }) => message), hints }
  return { schema: result.federatedGraphClientSchema, errors: [], hints }
}

function forCosmo({ name, url, typeDefs }: Subgraph) {
  return { name, url, definitions: typeDefs }
}
