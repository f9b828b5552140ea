import { Client, fetchExchange, mapExchange, type CombinedError } from '@urql/preact'

const URL = '/graphql'

/** Creates a GraphQL client with the token; without a cache, because the console must show current data. */
export function createGraphqlClient(token: string, onUnauthenticated: () => void): Client {
  return new Client({
    url: URL,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [
      mapExchange({
        onError: (error) => {
          if (isUnauthenticated(error)) onUnauthenticated()
        },
      }),
      fetchExchange,
    ],
  })
}

/** Whether the server rejected the token. */
export function isUnauthenticated({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')
}
