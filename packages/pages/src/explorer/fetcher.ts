import { createGraphiQLFetcher, isAsyncIterable, type Fetcher, type FetcherParams } from '@graphiql/toolkit'
import { Kind, parse, type DocumentNode } from 'graphql'
import { createClient, type ExecutionResult } from 'graphql-ws'

/** Number of earlier items of a stream that are shown beside the last one, because they arrive faster than they can be read. */
const EARLIER = 20

/**
 * Creates a function that sends operations to a URL: subscriptions over a WebSocket of their own with the current token,
 * everything else over HTTP. `onSchema` is called after each attempt to read the schema, with the reason for a refusal or
 * null.
 */
export function createFetcher(address: URL, onSchema: (refusal: string | null) => void): Fetcher {
  return async (given, options = {}) => {
    const { operation, documentAST } = asWritten(given)
    const send = createGraphiQLFetcher({
      url: address.href,
      enableIncrementalDelivery: false,
      wsClient: createClient({ url: socketAddress(address), connectionParams: greeting(options.headers ?? {}) }),
    })
    const answer = await send(operation, { ...options, ...(documentAST === null ? {} : { documentAST }) })
    if (isAsyncIterable(answer)) return withEarlier(answer)
    if (operation.operationName === 'IntrospectionQuery') onSchema(refusalIn(answer))
    return answer
  }
}

/**
 * Derives the operation from the text alone: the editors update the operation's name and kind with a delay, so a quick user
 * would otherwise send a different operation than the one that is shown.
 */
function asWritten(operation: FetcherParams): { operation: FetcherParams; documentAST: DocumentNode | null } {
  const documentAST = documentIn(operation.query)
  const names = documentAST?.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value ?? null] : [],
  )
  const [first = null, ...others] = names ?? []
  const isKnown = names === undefined || others.length > 0 || names.includes(operation.operationName ?? null)
  return { operation: isKnown ? operation : { ...operation, operationName: first }, documentAST }
}

/** Null when the text is not valid GraphQL: the server's error message is better. */
function documentIn(query: string): DocumentNode | null {
  try {
    return parse(query)
  } catch {
    return null
  }
}

function socketAddress({ href }: URL): string {
  return href.replace(/^http/, 'ws')
}

/** Sends only the token: a WebSocket connection does not need the other HTTP headers. */
function greeting(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const token = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')
  return token === undefined ? {} : { authorization: token[1] }
}

function refusalIn(answer: unknown): string | null {
  const { errors = [] } = answer as ExecutionResult
  return errors[0]?.message ?? null
}

/**
 * Yields each item with the items before it, newest first. Not a generator: a generator waits for the next item before it
 * ends the stream.
 */
function withEarlier(items: AsyncIterable<ExecutionResult>): AsyncIterableIterator<ExecutionResult> {
  const source = items[Symbol.asyncIterator]()
  let earlier: readonly ExecutionResult[] = []
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      const step = await source.next()
      if (step.done === true) return step
      const shown = { ...step.value, earlier }
      earlier = [step.value, ...earlier].slice(0, EARLIER)
      return { done: false, value: shown }
    },
    async return() {
      await source.return?.()
      return { done: true, value: undefined }
    },
  }
}
