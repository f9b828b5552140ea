/**
 * Resumes subscriptions of Apollo Client 3 and 4. It imports neither: the app passes its `Observable`.
 */
import { resumeStream, type ResumeOptions, type StreamResult, type StreamSink } from './resume-stream.ts'

type ObservableConstructor = new (subscribe: (observer: StreamSink<unknown>) => () => void) => object
type Operation = {
  readonly query: { readonly definitions: readonly object[] }
  variables: Record<string, unknown>
}
/** Fits the `RequestHandler` of each version, which have types of their own for the same shapes. */
type RequestHandler = (operation: unknown, forward: unknown) => never
type Forward = (operation: Operation) => { subscribe(sink: StreamSink<StreamResult>): { unsubscribe(): void } }

/**
 * Returns the request handler of a link, which goes before the terminating one. It resumes each subscription that has the variable
 * `$after` and selects `kind`, `cursor` and `previousCursor`; other operations pass.
 *
 * @example
 * const link = ApolloLink.from([new ApolloLink(resumeSubscriptions(Observable)), new GraphQLWsLink(createClient({ url }))])
 */
export function resumeSubscriptions(Observable: ObservableConstructor, options?: ResumeOptions): RequestHandler {
  const handle = (operation: Operation, forward: Forward): object => {
    if (!takesAfter(operation)) return forward(operation)
    const { variables } = operation
    return new Observable((observer) =>
      resumeStream<StreamResult>(
        (after, sink) => {
          operation.variables = { ...variables, ...after }
          const subscription = forward(operation).subscribe(sink)
          return () => subscription.unsubscribe()
        },
        observer,
        options,
      ),
    )
  }
  return handle as unknown as RequestHandler
}

type Definition = {
  readonly operation?: string
  readonly variableDefinitions?: readonly { readonly variable: { readonly name: { readonly value: string } } }[]
}

function takesAfter({ query }: Operation): boolean {
  return (query.definitions as readonly Definition[]).some(
    ({ operation, variableDefinitions = [] }) =>
      operation === 'subscription' && variableDefinitions.some(({ variable }) => variable.name.value === 'after'),
  )
}
