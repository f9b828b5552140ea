import { parse, print, visit, type ASTNode, type NameNode } from 'graphql'

const DIRECTIVE = 'requiresScopes'

/**
 * Returns the SDL of a subgraph without `@requiresScopes`, for gateways that refuse every supergraph with it, such as @apollo/gateway. The
 * subgraph enforces the scopes itself in any case.
 */
export function withoutScopes(sdl: string): string {
  const remove = ({ name }: { readonly name: NameNode }) => (name.value === DIRECTIVE ? null : undefined)
  return print(
    visit(parse(sdl), {
      Directive: remove,
      DirectiveDefinition: remove,
      // In the list of imports of `@link`.
      StringValue: ({ value, block }, _key, parent) =>
        value === `@${DIRECTIVE}` && block !== true && isList(parent) ? null : undefined,
    }),
  )
}

function isList(parent: ASTNode | readonly ASTNode[] | undefined): boolean {
  return Array.isArray(parent)
}
