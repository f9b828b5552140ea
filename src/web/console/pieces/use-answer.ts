import { useQuery, type CombinedError } from '@urql/preact'
import type { TypedDocumentString } from '../generated/graphql.ts'
import { documentOf } from './document.ts'

export type Answer<Data> = {
  readonly data: Data | undefined
  readonly error: CombinedError | undefined
  readonly isAsking: boolean
  /** Sends the query again, and shows the current data until the response arrives. */
  readonly askAgain: () => void
}

/** Sends a query when the component mounts and whenever its variables change; not while `pause` is set. */
export function useAnswer<Data, Variables extends object>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  pause = false,
): Answer<Data> {
  const query = documentOf(document)
  const [{ data, error, fetching, stale }, execute] = useQuery<Data, Variables>({ query, variables, pause })
  return {
    data,
    error,
    isAsking: fetching || stale,
    askAgain: () => execute({ requestPolicy: 'network-only' }),
  }
}
