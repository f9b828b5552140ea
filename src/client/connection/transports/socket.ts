import { createClient } from 'graphql-ws/client'
import { errorOf, type GraphError } from '../../client-errors.ts'
import { type WebSocketConstructor, type WebSocketLike, socketUrl } from '../../graph-endpoint.ts'
import { endBy, ending, readResult, streamOperation, type ConnectionEnd, type OpenConnection } from '../connection.ts'

/** Close codes for a refused caller or an expired token. */
const UNAUTHENTICATED: ReadonlySet<number> = new Set([4401, 4403])
const RESTART = 1012

/** Streams over `graphql-transport-ws`, with the `graphql-ws` client; the caller does the retries. */
export const openSocket: OpenConnection = (request, events) => {
  const { endpoint, token, timing, subject } = request
  const timers: Partial<Record<'opening' | 'ponging', ReturnType<typeof setTimeout>>> = {}
  let held: WebSocketLike | null = null
  let isOpen = false
  let over = false

  const close = () => {
    over = true
    clearTimeout(timers.opening)
    clearTimeout(timers.ponging)
    stop?.()
    // Rejects when the socket was not open yet.
    Promise.resolve(client?.dispose()).catch(() => {})
    held?.close(1000, 'Normal closure')
  }
  const end = (how: ConnectionEnd) => {
    if (over) return
    close()
    events.ended(how)
  }
  const awaitPong = () => {
    timers.ponging ??= setTimeout(() => end(lost('The server does not answer.')), timing.pongMs)
  }

  const Base: WebSocketConstructor | undefined = endpoint.webSocket ?? globalThis.WebSocket
  let stop: (() => void) | undefined
  let client: ReturnType<typeof createClient> | undefined
  if (Base === undefined) {
    queueMicrotask(() => end(ending('unopened', 'NETWORK', 'There are no WebSockets here.')))
    return { close, check: () => {} }
  }
  timers.opening = setTimeout(() => end(unopened('The socket did not open in time.')), timing.openMs)
  client = createClient({
    url: socketUrl(endpoint),
    webSocketImpl: new Proxy(Base, {
      construct: (target, args: ConstructorParameters<WebSocketConstructor>) => (held = new target(...args)),
    }),
    retryAttempts: 0,
    keepAlive: timing.pingMs,
    ...(token === null ? {} : { connectionParams: { authorization: `Bearer ${token}` } }),
    on: {
      connected: () => {
        clearTimeout(timers.opening)
        isOpen = true
        if (!over) events.opened()
      },
      closed: (event) => end(endOf(event, isOpen)),
      ping: (received) => {
        if (!received) awaitPong()
      },
      message: () => {
        clearTimeout(timers.ponging)
        delete timers.ponging
      },
    },
  })
  stop = client.subscribe(
    { query: '', ...streamOperation(request) },
    {
      next: (result) => {
        if (over) return
        const item = readResult(result as { data?: unknown; errors?: readonly GraphError[] }, subject)
        if ('error' in item) end(item)
        else events.item(item)
      },
      error: (reason) => end(Array.isArray(reason) ? endBy(errorOf(reason as GraphError[])) : endOf(reason, isOpen)),
      complete: () => end(ending('complete', 'UNAVAILABLE', 'The stream has ended.')),
    },
  )
  return {
    close,
    check: () => {
      if (!isOpen || over) return
      awaitPong()
      held?.send('{"type":"ping"}')
    },
  }
}

function endOf(event: unknown, isOpen: boolean): ConnectionEnd {
  const { code, reason } = closeOf(event)
  if (UNAUTHENTICATED.has(code)) return ending('refused', 'UNAUTHENTICATED', reason || 'The token was refused.')
  if (code === RESTART) return ending('restarting', 'UNAVAILABLE', 'The server restarts.')
  if (!isOpen) return unopened(`The socket could not be opened (${code}).`)
  return lost(`The socket was closed with ${code}.`)
}

function closeOf(event: unknown): { readonly code: number; readonly reason: string } {
  const { code, reason } = Object(event) as { code?: unknown; reason?: unknown }
  return { code: typeof code === 'number' ? code : 1006, reason: typeof reason === 'string' ? reason : '' }
}

function lost(message: string): ConnectionEnd {
  return ending('lost', 'NETWORK', message)
}

function unopened(message: string): ConnectionEnd {
  return ending('unopened', 'NETWORK', message)
}
