import type { TypedDocument } from './generated/documents.ts'

/** A bearer token, or a function that returns one. */
export type TokenSource = string | null | (() => string | null | Promise<string | null>)

/** The methods of the WebSocket interface that the client kit calls; it listens by `onopen`, `onmessage`, `onerror` and `onclose`. */
export type WebSocketLike = {
  send(data: string): void
  close(code?: number, reason?: string): void
}

export type WebSocketConstructor = new (url: string, protocols?: string | string[]) => WebSocketLike

/** The URLs of the graph and the caller's token. */
export type PaymentsEndpoint = {
  /** The graph's URL, e.g. `https://shop.example/graphql`; in a page also a path, e.g. `/graphql`. */
  readonly url: string
  /** The WebSocket URL. Default: `url` with `ws` instead of `http`. */
  readonly socketUrl?: string
  /** The URL for server-sent events. Default: `url` followed by `/stream`. */
  readonly eventsUrl?: string
  /** A function is called again before its token expires, and after the server rejected the token. Default: no token. */
  readonly token?: TokenSource
  /**
   * How documents are sent. `'id'` sends only the hash, to a server that trusts `trusted-documents.json`. Default: `'text'`.
   */
  readonly documents?: 'text' | 'id'
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** Default: the global one. */
  readonly webSocket?: WebSocketConstructor
  /** Timeout of a response in milliseconds. Default: 15000. */
  readonly timeoutMs?: number
}

/** An operation as it is sent. */
export type Operation = {
  readonly query?: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** A document of the client kit, one from a code generator (`documentMode: 'string'`), or a text. */
export type AnyDocument<Data, Variables> =
  | TypedDocument<Data, Variables>
  | { toString(): string; readonly __apiType?: (variables: Variables) => Data }

/** Returns the operation for a document and its variables. */
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

/** Returns the WebSocket URL. */
export function socketUrl({ url, socketUrl: given }: PaymentsEndpoint): string {
  return given ?? url.replace(/^http/i, 'ws')
}

/** Returns the URL for server-sent events. */
export function eventsUrl({ url, eventsUrl: given }: PaymentsEndpoint): string {
  if (given !== undefined) return given
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return `${path.endsWith('/') ? path : `${path}/`}stream${url.slice(path.length)}`
}
