import type { TypedDocumentNode } from '@urql/preact'
import type { TypedDocumentString } from '../generated/graphql.ts'

/**
 * Converts a generated document to the form that the GraphQL client accepts: its text, with the types of its data and
 * variables.
 */
export function documentOf<Data, Variables extends object>(
  document: TypedDocumentString<Data, Variables>,
): TypedDocumentNode<Data, Variables> {
  return document.toString() as unknown as TypedDocumentNode<Data, Variables>
}
