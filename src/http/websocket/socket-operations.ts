import { MessageType, parseMessage } from 'graphql-ws'
import { hasRepeatedKey } from '../../domain/has-repeated-key.ts'

/** The operations of one socket. */
export type Operations = {
  /** Hands a message to the library when the library can take it. Rejects with what a handler threw. */
  handle(text: string): Promise<void>
  /** Counts an operation that is about to begin; false when too many of its kind are under way. */
  admit(id: string, kind: OperationKind): boolean
  /** Whether the operation that is about to begin is refused, because there is too much to do. */
  isRefused(id: string): boolean
  /** Counts an operation as ended: its answer is made, whether its peer reads it or not. */
  answered(id: string): void
  /** Takes what waits out of the queue: the socket has closed. */
  close(): void
}

export type OperationKind = 'stream' | 'other'

export type OperationsOptions = {
  /** The library's own way to handle a message. What it gives for an operation resolves when that has ended. */
  readonly listener: (text: string) => Promise<void>
  /** Operations of one kind that may be under way at once. */
  readonly limit: number
  /** Tells whether one more operation may begin now. */
  readonly mayBegin: () => boolean
  /** Resolves when an operation may begin, with the function that counts it as ended, or with null when it is refused. */
  readonly enter: (text: string, signal: AbortSignal) => Promise<(() => void) | null>
  readonly close: (reason: 'duplicate' | 'invalid' | 'flood') => void
}

type Running = {
  kind: OperationKind | null
  /** The client has completed it. */
  over: boolean
  refused: boolean
  release: (() => void) | null
  ended: Promise<void>
}

/** What only a server says. */
const OF_SERVERS: ReadonlySet<string> = new Set([MessageType.ConnectionAck, MessageType.Next, MessageType.Error])

/**
 * Keeps account of what runs on a socket. The library forgets an operation as soon as the client completes it, and takes
 * the next one under that id for it while it winds down, so that neither could be ended: here the next one waits until
 * the first has gone, and what winds down still counts.
 */
export function createOperations({ listener, limit, mayBegin, enter, close }: OperationsOptions): Operations {
  const running = new Map<string, Running>()
  const closing = new AbortController()
  let greeted = false

  const begin = async (id: string, text: string): Promise<void> => {
    const earlier = running.get(id)
    if (earlier?.over === false) return close('duplicate')
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const operation: Running = { kind: null, over: false, refused: false, release: null, ended }
    running.set(id, operation)
    try {
      if (earlier !== undefined) await earlier.ended
      // Before the greeting the library closes the socket for it: nothing begins, and nothing may come between.
      if (greeted) operation.release = await enter(text, closing.signal)
      operation.refused = greeted && operation.release === null
      if (!operation.over && !closing.signal.aborted) await listener(text)
    } finally {
      operation.release?.()
      if (running.get(id) === operation) running.delete(id)
      end()
    }
  }

  return {
    async handle(text) {
      const message = readMessage(text)
      // What cannot be read is answered by the library.
      if (message === null) return listener(text)
      if (OF_SERVERS.has(message.type) || hasRepeatedKey(text)) return close('invalid')
      if (message.type === MessageType.Subscribe) return mayBegin() ? begin(message.id, text) : close('flood')
      if (message.type === MessageType.Complete) {
        const operation = running.get(message.id)
        if (operation !== undefined) operation.over = true
      }
      await listener(text)
      if (message.type === MessageType.ConnectionInit) greeted = true
    },
    admit(id, kind) {
      const others = Array.from(running.values()).filter((operation) => operation.kind === kind).length
      if (others >= limit) return false
      const operation = running.get(id)
      if (operation !== undefined) operation.kind = kind
      return true
    },
    isRefused: (id) => running.get(id)?.refused === true,
    answered: (id) => running.get(id)?.release?.(),
    close: () => closing.abort(),
  }
}

function readMessage(text: string): ReturnType<typeof parseMessage> | null {
  try {
    return parseMessage(text)
  } catch {
    return null
  }
}
