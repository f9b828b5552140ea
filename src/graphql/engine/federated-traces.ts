import type { AdmittedOperation } from '../admission/admission.ts'
import type { Context } from '../context.ts'
import type { ApolloTraces, ApolloTracesOptions } from './apollo-traces.ts'
import type { Answer } from './request-outcome.ts'

/** Executes operations with a trace of the duration of each field, for a router that requests it. */
export type FederatedTraces = {
  /** Runs a query or a mutation, with the trace in `extensions.ftv1` of its response. Calls `load()` first. */
  answer(operation: AdmittedOperation, context: Context): Promise<Answer>
  /** Loads and starts Apollo Server, unless this has been done. */
  load(): Promise<void>
  stop(): Promise<void>
}

/** Creates traces that load Apollo Server on first use, because loading it takes a tenth of the start time. */
export function createFederatedTraces(options: ApolloTracesOptions): FederatedTraces {
  let starting: Promise<ApolloTraces> | null = null
  const start = async () => {
    const { startApolloTraces } = await import('./apollo-traces.ts')
    return startApolloTraces(options)
  }
  const traces = () => (starting ??= start())
  return {
    answer: async (operation, context) => (await traces()).answer(operation, context),
    load: async () => void (await traces()),
    stop: async () => (await starting)?.stop(),
  }
}
