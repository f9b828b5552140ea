import { createGraphiQLFetcher, isAsyncIterable, type Fetcher, type FetcherParams } from '@graphiql/toolkit'
import { Kind, parse, type DocumentNode } from 'graphql'
import { createClient, type ExecutionResult } from 'graphql-ws'

/** Items of a stream that are shown beside the last one: they follow each other faster than they can be read. */
const EARLIER = 20

/**
 * Sends operations to an address: subscriptions over a socket of their own, greeted with the token of the moment, everything
 * else over HTTP. `onSchema` is told of each attempt to read the schema: why it was refused, or null.
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
 * The operation by its text alone: the editors tell its name and its kind a moment later, so that who is quick would have
 * another one sent than the one that is shown.
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

/** Null for what is no GraphQL: the server says so better. */
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

/** The token alone: whatever else is sent over HTTP is nothing that a socket asks for. */
function greeting(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const token = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')
  return token === undefined ? {} : { authorization: token[1] }
}

function refusalIn(answer: unknown): string | null {
  const { errors = [] } = answer as ExecutionResult
  return errors[0]?.message ?? null
}

/**
 * Each item as it came, with those before it, newest first. No generator: one would wait for the next item before it let go
 * of a stream that is to end.
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
