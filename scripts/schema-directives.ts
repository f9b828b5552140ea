import { Kind, valueFromASTUntyped, type ConstDirectiveNode, type FieldDefinitionNode } from 'graphql'

type Node = FieldDefinitionNode | null | undefined

/** Returns the scopes that a field requires, as text; null when it requires none. */
export function scopesOf(node: Node): string | null {
  const scopes = valueOf(node, 'requiresScopes', 'scopes') as readonly (readonly string[])[] | undefined
  return scopes?.map((all) => all.map((scope) => `\`${scope}\``).join(' and ')).join(', or ') ?? null
}

/** Returns the contract that a field belongs to; null when it belongs to all contracts. */
export function tagOf(node: Node): string | null {
  const tag = valueOf(node, 'tag', 'name') as string | undefined
  return tag === undefined ? null : `\`${tag}\``
}

/** Returns the cost weight of a field; null when it has none of its own. */
export function costOf(node: Node): string | null {
  const weight = valueOf(node, 'cost', 'weight') as number | undefined
  return weight === undefined ? null : `weight ${weight}`
}

/** Returns the number of items for which a list is costed; null for fields that are not lists. */
export function listSizeOf(node: Node): string | null {
  const assumed = valueOf(node, 'listSize', 'assumedSize') as number | undefined
  if (assumed !== undefined) return `a list of ${assumed}`
  const slicing = valueOf(node, 'listSize', 'slicingArguments') as readonly string[] | undefined
  return slicing === undefined ? null : `a list of ${slicing.map((name) => `\`${name}\``).join(' or ')}`
}

/** Returns whether shared caches may store the response. */
export function isPublic(node: Node): boolean {
  return valueOf(node, 'cacheControl', 'scope') === 'PUBLIC'
}

function valueOf(node: Node, directive: string, argument: string): unknown {
  const found = node?.directives?.find(({ name }: ConstDirectiveNode) => name.value === directive)
  const value = found?.arguments?.find(({ name }) => name.value === argument)?.value
  if (value === undefined) return undefined
  return value.kind === Kind.ENUM ? value.value : valueFromASTUntyped(value)
}
