import { Client, fetchExchange, mapExchange, type CombinedError } from '@urql/preact'

const URL = '/graphql'

/** A client of the graph that shows the token; nothing is cached, since a console shows what is. */
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

/** Whether the server said that the token does not hold. */
export function isUnauthenticated({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')
}
