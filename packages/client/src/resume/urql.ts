/** Resumes subscriptions of urql, without importing it. */
import { resumeStream, type ResumeOptions, type StreamResult, type StreamSink } from './resume-stream.ts'

type Request = { readonly query?: string | undefined; readonly variables?: unknown }
type Forward = (
  request: Request,
  operation: unknown,
) => { subscribe(sink: StreamSink<StreamResult>): { unsubscribe(): void } }

/**
 * Wraps `forwardSubscription` of `subscriptionExchange`. It resumes each subscription that has the variable `$after` and selects `kind`,
 * `cursor` and `previousCursor`; others pass.
 *
 * @example
 * subscriptionExchange({ forwardSubscription: resumeSubscriptions((request) => ({ subscribe: (sink) => ({ unsubscribe: client.subscribe(request, sink) }) })) })
 */
export function resumeSubscriptions<Given extends (request: never, operation: never) => object>(
  forwardSubscription: Given,
  options?: ResumeOptions,
): Given {
  const forward = forwardSubscription as unknown as Forward
  const resumed: Forward = (request, operation) => {
    if (!/\$after\b/.test(request.query ?? '')) return forward(request, operation)
    const variables = (request.variables ?? {}) as Record<string, unknown>
    return {
      subscribe: (sink) => ({
        unsubscribe: resumeStream<StreamResult>(
          (after, inner) => {
            const subscription = forward({ ...request, variables: { ...variables, ...after } }, operation).subscribe(
              inner,
            )
            return () => subscription.unsubscribe()
          },
          sink,
          options,
        ),
      }),
    }
  }
  return resumed as unknown as Given
}
