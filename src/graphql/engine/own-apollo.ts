import { type GraphQLError, OperationTypeNode, parse } from 'graphql'
import type { Admission } from '../admission/admission.ts'
import { createContext, type Context, type Services } from '../context.ts'
import { badRequest } from '../error-formatter.ts'
import { type ApolloOptions, apolloServerOptions, cloneable } from './apollo-server.ts'
import type { Requester } from './engine.ts'

const NO_STREAMS = badRequest('This server has no subscriptions.')
/** Stands for a document that is refused. */
const NOTHING = parse('{ __typename }')

type OwnApolloNeeds = ApolloOptions & { readonly services: Services; readonly admit: Admission['admit'] }

export type OwnApollo = ReturnType<typeof createOwnApollo>

/**
 * Returns the options of an Apollo Server over this schema, and the context of a request. The options contain a plugin that admits each
 * operation by the same limits and rights as the subgraph's own addresses. It refuses subscriptions.
 */
export function createOwnApollo({ services, admit, ...options }: OwnApolloNeeds) {
  const ofRouter = new WeakSet<Context>()
  const { plugins, ...others } = apolloServerOptions(options, { tracesForAll: false })
  const admission: (typeof plugins)[number] = {
    async requestDidStart() {
      let refusal: GraphQLError | null = null
      return {
        // Before the text is parsed: a document that is set here is neither parsed nor validated again.
        async didResolveSource(received) {
          const admitted = admit(
            received.request,
            ofRouter.has(Object.getPrototypeOf(received.contextValue) as Context),
          )
          if ('errors' in admitted) refusal = admitted.errors[0] ?? badRequest('The operation is refused.')
          else if (admitted.node.operation === OperationTypeNode.SUBSCRIPTION) refusal = NO_STREAMS
          Object.assign(received, { document: 'document' in admitted ? admitted.document : NOTHING })
        },
        async didResolveOperation() {
          if (refusal === null) return
          const { http } = refusal.extensions
          throw Object.assign(refusal, { extensions: { ...refusal.extensions, http: http ?? { status: 400 } } })
        },
      }
    },
  }
  return {
    options: { ...others, documentStore: null, plugins: [admission, ...plugins] },
    contextOf({ caller, fromRouter, statusTokens = [] }: Requester): Context {
      const context = createContext(services, caller, { statusTokens })
      if (fromRouter) ofRouter.add(context)
      return cloneable(context)
    },
  }
}
