import type { TypedDocument } from './generated/documents.ts'

/** A bearer token, or where to get one. */
export type TokenSource = string | null | (() => string | null | Promise<string | null>)

/** As much of a WebSocket as the kit uses. */
export type WebSocketLike = {
  readonly readyState: number
  send(data: string): void
  close(code?: number, reason?: string): void
}

export type WebSocketConstructor = new (url: string, protocols?: string | string[]) => WebSocketLike

/** Where the graph is, and who asks. */
export type PaymentsEndpoint = {
  /** The graph's address, e.g. `https://shop.example/graphql`. */
  readonly url: string
  /** Where sockets are opened. Default: `url` with `ws` in the place of `http`. */
  readonly socketUrl?: string
  /** Where server-sent events come from. Default: `url` followed by `/stream`. */
  readonly eventsUrl?: string
  /** A function is asked again before its token expires, and after the server has refused it. Default: no token. */
  readonly token?: TokenSource
  /** What documents are sent as. `'id'` sends the hash alone, to a server that trusts `trusted-documents.json`. Default: `'text'`. */
  readonly documents?: 'text' | 'id'
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** Default: the global one. */
  readonly webSocket?: WebSocketConstructor
  /** How long an answer may take, in milliseconds. Default: 15000. */
  readonly timeoutMs?: number
}

/** An operation as it is sent. */
export type Operation = {
  readonly query?: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** A document of the kit, one that a code generator made (`documentMode: 'string'`), or a text. */
export type AnyDocument<Data, Variables> =
  | TypedDocument<Data, Variables>
  | { toString(): string; readonly __apiType?: (variables: Variables) => Data }

/** The operation that a document and its variables make. */
export function operationOf<Data, Variables>(
  document: AnyDocument<Data, Variables>,
  variables: Variables,
  documents: PaymentsEndpoint['documents'],
): Operation {
  const given = variables as Readonly<Record<string, unknown>>
  if (typeof document === 'string' || !('text' in document)) return { query: document.toString(), variables: given }
  if (documents !== 'id') return { query: document.text, variables: given }
  return { variables: given, extensions: { persistedQuery: { version: 1, sha256Hash: document.hash } } }
}

/** Where sockets are opened. */
export function socketUrl({ url, socketUrl: given }: PaymentsEndpoint): string {
  return given ?? url.replace(/^http/i, 'ws')
}

/** Where server-sent events come from. */
export function eventsUrl({ url, eventsUrl: given }: PaymentsEndpoint): string {
  if (given !== undefined) return given
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return `${path.endsWith('/') ? path : `${path}/`}stream${url.slice(path.length)}`
}
