import { EventEmitter, on, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  buildSchema,
  createSourceEventStream,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql'
import type { SubscribePayload } from 'graphql-ws'
import {
  type AnswerStream,
  type Connection,
  createLibrarySocketServer,
  createSocketServer,
  type Outcome,
  type SocketHandlers,
  type SocketLimits,
} from '../src/index.ts'

/** Both servers, by name: what one promises, the other does too. */
export const SERVERS = [
  ['graphql-sockets', createSocketServer],
  ['graphql-ws', createLibrarySocketServer],
] as const

const schema = buildSchema(`
  type Query { greeting: String, later: String }
  type Subscription { ticks: Int, one: Int, broken: Int }
`)

const LIMITS: SocketLimits = {
  initMs: 300,
  keepAliveMs: 12_000,
  bufferedBytes: 1024 * 1024,
  bufferedMs: 10_000,
  streams: 3,
  operationsPerSecond: 1_000,
  messagesPerSecond: 1_000,
  bytesPerSecond: 1024 * 1024,
}

/** What the tests keep of a connection. */
type Session = { readonly connection: Connection; expired: boolean }

export type TestServer = {
  readonly url: string
  /** Passes a number to each stream of `ticks`. */
  tick(value: number): void
  /** Answers each query for `later` that waits. */
  answer(): void
  /** Lets the next stream that ends be the last of its session. */
  expire(): void
  /** The numbers of streams of `ticks` that are open, and of connections that have closed. */
  readonly open: number
  readonly closed: number
  readonly count: number
  close(overMs?: number): Promise<void>
}

/** Starts a server with a schema of its own. A connection with the token `wrong` is refused, and one with `broken` fails. */
export async function serve(
  create: (typeof SERVERS)[number][1],
  limits: Partial<SocketLimits> = {},
): Promise<TestServer> {
  const events = new EventEmitter().setMaxListeners(0)
  const sessions = new Set<Session>()
  let closed = 0

  async function* one(value: number) {
    yield { one: value }
  }
  async function* broken() {
    yield { broken: 1 }
    throw new Error('The source has failed.')
  }
  const rootValue = {
    greeting: 'hello',
    later: async () => {
      await once(events, 'answer')
      return 'at last'
    },
    ticks: () => on(events, 'tick'),
    one: () => one(1),
    broken,
  }
  const handlers: SocketHandlers<Session> = {
    async greet({ connection }, payload) {
      const { token } = (payload ?? {}) as { readonly token?: string }
      if (token === 'broken') throw new Error('The greeting has failed.')
      if (token !== 'wrong') return true
      connection.close(4403, 'Forbidden')
      return false
    },
    run: (_session, payload, { admit }) => run(payload, admit),
    closingAtEnd: ({ expired }) => (expired ? [4403, 'Token expired'] : null),
    closed(session) {
      closed += 1
      sessions.delete(session)
    },
  }
  async function run(
    { query, variables, operationName }: SubscribePayload,
    admit: Parameters<SocketHandlers<Session>['run']>[2]['admit'],
  ): Promise<Outcome> {
    const document = parse(query)
    const mistakes = validate(schema, document)
    const node = getOperationAST(document, operationName)
    if (mistakes.length > 0 || node === null || node === undefined)
      return { kind: 'refusal', errors: mistakes.map((error) => error.toJSON()) }
    const refused = admit(node.operation)
    if (refused !== null) return { kind: 'refusal', errors: [refused.toJSON()] }
    const args: ExecutionArgs = { schema, document, rootValue, variableValues: variables ?? {} }
    if (node.operation !== OperationTypeNode.SUBSCRIPTION)
      return { kind: 'answer', json: JSON.stringify(await execute(args)) }
    const source = await createSourceEventStream(args)
    if (!(Symbol.asyncIterator in source)) return { kind: 'answer', json: JSON.stringify(source) }
    return streamOf(source[Symbol.asyncIterator](), (item) => execute({ ...args, rootValue: itemOf(item) }))
  }

  const timer = sharedTimer()
  const sockets = create<Session>({ handlers, timer, messageBytes: 64 * 1024, logger: SILENT })
  const server = createServer()
  server.on('upgrade', (request, socket, head) =>
    sockets.upgrade(request, socket, head, {
      limits: { ...LIMITS, ...limits },
      sessionFor(connection) {
        const session = { connection, expired: false }
        sessions.add(session)
        return session
      },
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tick: (value) => void events.emit('tick', value),
    answer: () => void events.emit('answer'),
    expire: () => sessions.forEach((session) => (session.expired = true)),
    get open() {
      return events.listenerCount('tick')
    },
    get closed() {
      return closed
    },
    get count() {
      return sockets.count
    },
    async close(overMs = 0) {
      await sockets.close(overMs)
      server.close()
      timer.stop()
    },
  }
}

const SILENT = { debug: () => {}, info: () => {}, error: () => {} }

/** The item of an event emitter's iterator is the list of its arguments. */
function itemOf(item: unknown): unknown {
  return Array.isArray(item) ? { ticks: item[0] as unknown } : item
}

type Answer = (item: unknown) => ExecutionResult | Promise<ExecutionResult>

function streamOf(items: AsyncIterator<unknown>, answer: Answer): AnswerStream {
  const next = async () => {
    const { done, value } = await items.next()
    return done === true ? null : JSON.stringify(await answer(value))
  }
  return {
    kind: 'stream',
    pull(reader) {
      next().then(
        (json) => (json === null ? reader.end('complete') : reader.take({ json })),
        () => reader.end('interrupted'),
      )
    },
    stop: () => void items.return?.(),
  }
}

function sharedTimer() {
  const members = new Set<{ onTimer(): void }>()
  const periodMs = 10
  const timer = setInterval(() => members.forEach((member) => member.onTimer()), periodMs)
  return {
    periodMs,
    add: (member: { onTimer(): void }) => void members.add(member),
    delete: (member: { onTimer(): void }) => void members.delete(member),
    stop: () => clearInterval(timer),
  }
}
