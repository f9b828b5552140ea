/**
 * A plugin of GraphQL Code Generator: writes each operation as one literal with its exact text and the hash of that text,
 * which bundlers drop when it is unused; for an output that ends in .json, writes the manifest of trusted documents for a
 * server.
 */
import { createHash } from 'node:crypto'
import {
  Kind,
  print,
  stripIgnoredCharacters,
  visit,
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
} from 'graphql'

/** The part of the generator's file objects that the plugin uses. */
type DocumentFile = { readonly document?: DocumentNode }

type Operation = { readonly name: string; readonly kind: string; readonly text: string; readonly hash: string }

const TYPE = `/** An operation with its text, the SHA-256 of that text, and the types of what it takes and gives. */
export type TypedDocument<Data, Variables> = {
  readonly text: string
  readonly hash: string
  /** Never there: it carries the types. */
  readonly __apiType?: (variables: Variables) => Data
}`

export function plugin(
  _schema: unknown,
  files: readonly DocumentFile[],
  _config: unknown,
  info?: { readonly outputFile?: string },
): string {
  const operations = operationsIn(files)
  if (info?.outputFile?.endsWith('.json') === true)
    return JSON.stringify(Object.fromEntries(operations.map(({ hash, text }) => [hash, text])), null, 2)
  return [TYPE, ...operations.map(constantOf)].join('\n\n')
}

function constantOf({ name, kind, text, hash }: Operation): string {
  const types = `${name}${kind}, ${name}${kind}Variables`
  return `export const ${name}Document: TypedDocument<${types}> = {\n  text: ${JSON.stringify(text)},\n  hash: '${hash}',\n}`
}

function operationsIn(files: readonly DocumentFile[]): Operation[] {
  const definitions = files.flatMap(({ document }) => document?.definitions ?? [])
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  )
  return definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => operationOf(node, fragments))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function operationOf(node: OperationDefinitionNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): Operation {
  if (node.name === undefined) throw new Error('An operation of a client needs a name.')
  const parts = [node, ...spreadIn(node, fragments)]
  const text = stripIgnoredCharacters(parts.map(print).join('\n'))
  const hash = createHash('sha256').update(text).digest('hex')
  return { name: node.name.value, kind: capitalised(node.operation), text, hash }
}

/** Returns every fragment that a node needs, without duplicates. */
function spreadIn(
  start: ASTNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlySet<FragmentDefinitionNode> {
  const found = new Set<FragmentDefinitionNode>()
  const search = (node: ASTNode) =>
    void visit(node, {
      FragmentSpread({ name: { value } }) {
        const fragment = fragments.get(value)
        if (fragment === undefined || found.has(fragment)) return
        found.add(fragment)
        search(fragment)
      },
    })
  search(start)
  return found
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
