import { errorOf, type GraphError } from '../../client-errors.ts'
import { socketUrl, type WebSocketLike } from '../../graph-endpoint.ts'
import type { Result } from '../../request/ask.ts'
import { endBy, ending, readResult, streamOperation, type ConnectionEnd, type OpenConnection } from '../connection.ts'

const SUBPROTOCOL = 'graphql-transport-ws'
/** The id of the only operation of a socket. */
const ID = '1'
/** Close codes for a refused caller or an expired token. */
const UNAUTHENTICATED: ReadonlySet<number> = new Set([4401, 4403])
const RESTART = 1012

type Message = { readonly type: string; readonly payload?: unknown }
type Closed = { readonly code?: number; readonly reason?: string }

/**
 * Streams over `graphql-transport-ws` (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md), each over a socket of its own; the
 * caller does the retries.
 */
export const openSocket: OpenConnection = (request, events) => {
  const { endpoint, token, timing, subject } = request
  let socket: WebSocketLike | null = null
  let isOpen = false
  let over = false
  let pinging: ReturnType<typeof setInterval> | undefined
  let ponging: ReturnType<typeof setTimeout> | undefined

  const close = () => {
    over = true
    clearTimeout(opening)
    clearInterval(pinging)
    clearTimeout(ponging)
    socket?.close(1000, 'Normal closure')
  }
  const end = (how: ConnectionEnd) => {
    if (over) return
    close()
    events.ended(how)
  }
  const opening = setTimeout(() => end(unopened('The socket did not open in time.')), timing.openMs)
  const send = (message: Readonly<Record<string, unknown>>) => socket?.send(JSON.stringify(message))
  const ping = () => {
    send({ type: 'ping' })
    ponging ??= setTimeout(() => end(lost('The server does not answer.')), timing.pongMs)
  }
  const take = ({ type, payload }: Message) => {
    if (type === 'connection_ack' && !isOpen) {
      clearTimeout(opening)
      isOpen = true
      pinging = setInterval(ping, timing.pingMs)
      // The protocol requires a query, also beside the hash of one.
      send({ id: ID, type: 'subscribe', payload: { query: '', ...streamOperation(request) } })
      events.opened()
    } else if (type === 'next') {
      const item = readResult(payload as Result, subject)
      if ('error' in item) end(item)
      else events.item(item)
    } else if (type === 'error') end(endBy(errorOf(payload as GraphError[])))
    else if (type === 'complete') end(ending('complete', 'UNAVAILABLE', 'The stream has ended.'))
    else if (type === 'ping') send({ type: 'pong', payload })
  }
  const hear = ({ data }: { readonly data: string }) => {
    if (over) return
    clearTimeout(ponging)
    ponging = undefined
    try {
      take(JSON.parse(data) as Message)
    } catch {
      end(lost('The server sent something else than a message of the protocol.'))
    }
  }
  const open = () => {
    const Socket = endpoint.webSocket ?? globalThis.WebSocket
    socket = Object.assign(new Socket(socketUrl(endpoint), SUBPROTOCOL), {
      onopen: () =>
        send({ type: 'connection_init', payload: token === null ? {} : { authorization: `Bearer ${token}` } }),
      onmessage: hear,
      // A close event follows.
      onerror: () => {},
      onclose: (event: Closed) => end(endOf(event, isOpen)),
    })
  }
  // Not at once: the caller has to have this connection before it ends.
  queueMicrotask(() => {
    if (over) return
    try {
      open()
    } catch {
      end(unopened('There are no WebSockets here, or not for this URL.'))
    }
  })
  return {
    close,
    check: () => {
      if (isOpen && !over) ping()
    },
  }
}

function endOf({ code = 1006, reason = '' }: Closed, isOpen: boolean): ConnectionEnd {
  if (UNAUTHENTICATED.has(code)) return ending('refused', 'UNAUTHENTICATED', reason || 'The token was refused.')
  if (code === RESTART) return ending('restarting', 'UNAVAILABLE', 'The server restarts.')
  if (!isOpen) return unopened(`The socket could not be opened (${code}).`)
  return lost(`The socket was closed with ${code}.`)
}

function lost(message: string): ConnectionEnd {
  return ending('lost', 'NETWORK', message)
}

function unopened(message: string): ConnectionEnd {
  return ending('unopened', 'NETWORK', message)
}
