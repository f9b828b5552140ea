import type { IncomingHttpHeaders } from 'node:http'
import type { AdmittedOperation } from '../admission/admission.ts'
import type { Context } from '../context.ts'
import type { ApolloOptions, StartedApollo } from './apollo-server.ts'
import type { Answer } from './request-outcome.ts'

/** Executes operations with Apollo Server: for its plugins, or for a router that requests a trace of the duration of each field. */
export type ApolloExecution = {
  /** True if there are plugins, so that every query and mutation is for them. */
  readonly hasPlugins: boolean
  /** Runs a query or a mutation, with the trace in `extensions.ftv1` of its response if it is wanted. Plugins see the client's name and version. */
  answer(
    operation: AdmittedOperation,
    context: Context,
    request: { readonly wantsTrace: boolean; readonly headers: IncomingHttpHeaders },
  ): Promise<Answer>
  /** Starts the plugins, if there are any. Rejects if one of them cannot start. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Headers by which plugins know a client. https://www.apollographql.com/docs/graphos/platform/insights/client-segmentation */
const CLIENT_HEADERS = ['apollographql-client-name', 'apollographql-client-version']
/** With this header Apollo Server records a trace. https://www.apollographql.com/docs/apollo-server/api/plugin/inline-trace */
const TRACE_HEADER = ['apollo-federation-include-trace', 'ftv1'] as const

/**
 * Creates an execution that loads Apollo Server on first use: this takes a tenth of the start time and 5 MB, and few routers ask for traces. The
 * operations that ask while it is loaded wait for it.
 */
export function createApolloExecution(options: ApolloOptions): ApolloExecution {
  let starting: Promise<StartedApollo> | null = null
  const load = async () => {
    const { startApollo } = await import('./apollo-server.ts')
    return startApollo(options)
  }
  const started = () => (starting ??= load())
  const hasPlugins = options.plugins.length > 0
  return {
    hasPlugins,
    async answer(operation, context, { wantsTrace, headers }) {
      const known = CLIENT_HEADERS.flatMap((name): (readonly [string, string])[] => {
        const value = headers[name]
        return typeof value === 'string' ? [[name, value]] : []
      })
      return (await started()).answer(operation, context, wantsTrace ? [...known, TRACE_HEADER] : known)
    },
    async start() {
      if (hasPlugins) await started()
    },
    stop: async () => (await starting)?.stop(),
  }
}
