import { isUtf8 } from 'node:buffer'
import { type ExecutionArgs, type ExecutionResult, type FormattedExecutionResult, GraphQLError, parse } from 'graphql'
import { makeServer, MessageType, type ServerOptions, type SubscribePayload } from 'graphql-ws'
import { WebSocket } from 'ws'
import type { Opening } from './graphql-socket.ts'
import type { AnswerStream, Connection, OperationKind, SharedTimer, SocketParts } from './handlers.ts'
import { CLOSING, type Closing, LEGACY_PROTOCOL, LEGACY_REFUSAL, MAX_ID_BYTES } from './protocol.ts'
import { tooMany } from './socket-operation.ts'

/** graphql-ws asks the document of an operation whether to expect a stream; every outcome is passed on as one of a subscription. */
const ANY_OPERATION = parse('subscription { any }')

/** Opens the protocol on a socket with the server of graphql-ws. */
export function openByLibrary(socket: WebSocket, parts: SocketParts, { limits, sessionFor }: Opening): void {
  const { handlers, timer, logger } = parts
  const connection: Connection = {
    get isOpen() {
      return socket.readyState === WebSocket.OPEN
    },
    close: (code, reason) => socket.close(code, reason),
  }
  const session = sessionFor(connection)
  const counts = { stream: 0, other: 0 }

  const close = (closing: Closing) => socket.close(...closing)
  const fail = (error: unknown) => {
    if (error instanceof RangeError) return close(CLOSING.invalid)
    logger.error({ err: error }, 'a message could not be handled')
    return close(CLOSING.failed)
  }
  const endOf = (how: 'complete' | 'interrupted') => {
    const closing = how === 'interrupted' ? CLOSING.overload : handlers.closingAtEnd(session)
    if (closing !== null) close(closing)
  }
  /** Returns the function that takes an operation of this kind out of the counts; null if there are too many. */
  const count = (operation: OperationKind): (() => void) | null => {
    const kind = operation === 'subscription' ? 'stream' : 'other'
    if (counts[kind] >= limits.streams) return null
    counts[kind] += 1
    return () => (counts[kind] -= 1)
  }
  const run = async (id: string, payload: SubscribePayload) => {
    if (Buffer.byteLength(id) > MAX_ID_BYTES) close(CLOSING.longId)
    let release = () => {}
    const outcome = await handlers.run(session, payload, {
      text: JSON.stringify(payload),
      isWanted: () => connection.isOpen,
      admit: (kind) => {
        const counted = count(kind)
        release = counted ?? release
        return counted === null ? tooMany(limits.streams) : null
      },
    })
    if (outcome.kind === 'stream') return argsFor(resultsOf(outcome, endOf, release))
    release()
    if (outcome.kind === 'answer') return argsFor(JSON.parse(outcome.json) as ExecutionResult)
    return outcome.errors.map((error) => Object.assign(new GraphQLError(error.message), { toJSON: () => error }))
  }
  const settings: ServerOptions = {
    connectionInitWaitTimeout: limits.initMs,
    onConnect: ({ connectionParams }) => handlers.greet(session, connectionParams),
    onSubscribe: (_context, id, payload) => run(id, payload),
    subscribe: ({ contextValue }: ExecutionArgs) => contextValue as AsyncGenerator<ExecutionResult> | ExecutionResult,
    // The errors in a result have been formatted.
    onNext: (...[, , , , result]) => result as FormattedExecutionResult,
  }
  if (socket.protocol === LEGACY_PROTOCOL) socket.send(LEGACY_REFUSAL)
  const onClosed = makeServer(settings).opened(
    {
      protocol: socket.protocol,
      send: (text) => sendTo(socket, text),
      // Its own reason repeats the id, and may be longer than a close frame takes.
      close: (code, reason) => (code === CLOSING.duplicate[0] ? close(CLOSING.duplicate) : socket.close(code, reason)),
      onMessage: (handle) =>
        socket.on('message', (data: Buffer, isBinary) => {
          const text = data.toString()
          if ((isBinary && !isUtf8(data)) || !isAccepted(parts, text)) return close(CLOSING.invalid)
          return void handle(text).catch(fail)
        }),
    },
    {},
  )
  const keeper = keepAlive(socket, limits.keepAliveMs / timer.periodMs)
  timer.add(keeper)
  socket.on('error', (error) => logger.debug({ err: error }, 'a socket failed'))
  socket.on('close', (code, reason) => {
    timer.delete(keeper)
    handlers.closed(session)
    onClosed(code, reason.toString()).catch(fail)
  })
}

/** Returns the arguments of an execution whose result is there already. */
function argsFor(result: AsyncGenerator<ExecutionResult> | ExecutionResult): ExecutionArgs {
  return { document: ANY_OPERATION, contextValue: result } as Partial<ExecutionArgs> as ExecutionArgs
}

const DONE = { done: true, value: undefined } as const

/** Returns the answers of a stream as graphql-ws reads them. `onEnd` is called when the stream has ended by itself, `release` in any case. */
function resultsOf(
  stream: AnswerStream,
  onEnd: (how: 'complete' | 'interrupted') => void,
  release: () => void,
): AsyncGenerator<ExecutionResult> {
  let isOver = false
  let wake = () => {}
  const end = () => {
    if (!isOver) release()
    isOver = true
    wake()
  }
  const next = (): Promise<IteratorResult<ExecutionResult, undefined>> =>
    new Promise((resolve) => {
      wake = () => resolve(DONE)
      if (isOver) return wake()
      return stream.pull({
        take: ({ json }) => resolve({ done: false, value: JSON.parse(json) as ExecutionResult }),
        end(how) {
          if (!isOver) onEnd(how)
          end()
        },
      })
    })
  const stop = async () => {
    end()
    stream.stop()
    return DONE
  }
  const results: Partial<AsyncGenerator<ExecutionResult>> = {
    next,
    return: stop,
    throw: stop,
    [Symbol.asyncIterator]: () => results as AsyncGenerator<ExecutionResult>,
  }
  return results as AsyncGenerator<ExecutionResult>
}

/** Types of messages that only a server may send. graphql-ws throws at them, as at faults of its own. */
const OF_SERVERS: ReadonlySet<unknown> = new Set([MessageType.ConnectionAck, MessageType.Next, MessageType.Error])

function isAccepted({ parse: read }: SocketParts, text: string): boolean {
  try {
    const { type } = Object(read(text)) as { readonly type?: unknown }
    return !OF_SERVERS.has(type)
  } catch {
    return false
  }
}

/** Resolves when a text has left this process, so that the next answer of a stream is asked for only then. */
function sendTo(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(text, () => resolve())
    else resolve()
  })
}

/** Returns the member of a timer that pings a socket at every so many calls, and cuts it if the last ping was not answered. */
function keepAlive(socket: WebSocket, calls: number): Parameters<SharedTimer['add']>[0] {
  let sincePing = 0
  let isAlive = true
  socket.on('pong', () => (isAlive = true))
  return {
    onTimer() {
      sincePing += 1
      if (sincePing < calls) return
      sincePing = 0
      if (!isAlive) return socket.terminate()
      isAlive = false
      socket.ping()
    },
  }
}
