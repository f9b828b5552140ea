import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import { type GraphqlHooks, EVENTS_PATH, GRAPHQL_PATH } from '../graphql/graphql-body.ts'
import { STREAM_BEGUN } from '../response-streams/response-streams.ts'
import type { EarlyAnswers, EarlyAnswer } from '../server/early-answers.ts'
import { faultOf, problem } from '../server/problem.ts'
import { clientKey, peerKey, type Overload, type Entry, type QueueName } from './overload.ts'

/** Media types in `accept` of clients whose answer may be a stream. */
const MAY_STREAM = /event-stream|multipart/i

export type OverloadAdmissionOptions = DescribeOptions & {
  readonly overload: Overload
  /** The caller of a request; a promise, which may reject, if its token is verified for the first time. */
  readonly callerOf: (request: FastifyRequest) => Caller | Promise<Caller>
  /** Address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly send: EarlyAnswers['send']
}

type Admission = Omit<GraphqlHooks, 'onRequest'>

declare module 'fastify' {
  interface FastifyRequest {
    /** Marks an admitted request as ended. */
    endAdmission: (() => void) | null
  }
}

/**
 * Returns hooks that queue GraphQL requests once their body is complete, so that slow senders hold no slot, and mark them as ended when
 * the answer is made, so that slow readers hold none either.
 */
export function createAdmission(options: OverloadAdmissionOptions): Admission {
  const { overload, callerOf, send } = options
  const peerOf = (request: IncomingMessage) => peerKey(options.addressOf(request), request)

  const admit = (request: FastifyRequest, reply: FastifyReply, caller: Caller, done: () => void) => {
    const text = typeof request.body === 'string' ? request.body : ''
    const { kind, mustAnswer } = describeOperation(options, text, caller)
    const cancel = overload.enter(kind === 'mutation' ? 'commands' : 'queries', {
      client: clientKey(caller, () => peerOf(request.raw)),
      bytes: text.length,
      mustAnswer,
      start: (release) => {
        // The client has disconnected.
        if (reply.raw.destroyed) return release()
        request.endAdmission = release
        if (MAY_STREAM.test(request.headers.accept ?? '')) reply.raw.on(STREAM_BEGUN, release)
        return done()
      },
      refuse() {
        reply.hijack()
        send(request.raw, reply.raw, overloadedAnswer())
      },
    })
    if (cancel !== null) reply.raw.once('close', cancel)
  }

  const preValidation: preValidationHookHandler = (request, reply, done) => {
    const caller = callerOf(request)
    if (!(caller instanceof Promise)) return admit(request, reply, caller, done)
    const as = (known: Caller) => admit(request, reply, known, done)
    // The route reports an invalid token when the request begins.
    return void caller.then(as, () => as(ANONYMOUS))
  }
  return {
    preValidation: [preValidation],
    onSend: [
      (request, _reply, payload, done) => {
        request.endAdmission?.()
        done(null, payload)
      },
    ],
  }
}

type EarlyRefusalOptions = {
  readonly overload: Overload
  /** Address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly send: EarlyAnswers['send']
}

/**
 * Returns the handler that refuses GraphQL requests without a token before they are routed and their body is read. Such a request need not
 * be answered whatever its body says, and its client is identified by address. It refuses only requests that would be refused on
 * entry to the queue.
 */
export function createEarlyRefusal({ overload, addressOf, send }: EarlyRefusalOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!overload.isFull('queries') || request.headers.authorization !== undefined) return false
    const { method, url = '', rawHeaders } = request
    if ((method !== 'POST' && method !== 'GET') || !isGraphql(url) || faultOf(url, rawHeaders) !== null) return false
    const client = clientKey(ANONYMOUS, () => peerKey(addressOf(request), request))
    return overload.refuse('queries', client, () => send(request, response, overloadedAnswer()))
  }
}

/** Whether a URL is one of the two addresses in their usual spelling. Others are routed, and refused later. */
function isGraphql(url: string): boolean {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  return path === GRAPHQL_PATH || path === EVENTS_PATH
}

export type DescribeOptions = {
  readonly readOperation: OperationTextReader
  /** Whether one of these commands has an idempotency record of the caller: then it must not be refused. */
  readonly isRecorded: (commands: readonly CommandName[], caller: Caller) => Promise<boolean>
}

type DescribedOperation = Pick<Entry, 'mustAnswer'> & Pick<OperationText, 'kind'>

/** What the queues need to know about an operation that has not been parsed. */
function describeOperation(
  { readOperation, isRecorded }: DescribeOptions,
  text: string,
  caller: Caller,
): DescribedOperation {
  const { kind, commands } = readOperation(text)
  // Without a token every mutation is denied, so the request counts as a query.
  if (kind === 'mutation' && caller.kind === 'anonymous') return { kind: 'query', mustAnswer: undefined }
  return { kind, mustAnswer: commands.length > 0 ? () => isRecorded(commands, caller) : undefined }
}

/** A mutation and its idempotency key. */
type CommandName = { readonly mutation: string; readonly key: string }

/** What the unparsed text of a request reveals about it. */
type OperationText = {
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** Mutation names and idempotency keys in the text, which may be commands. */
  readonly commands: readonly CommandName[]
}

type OperationTextReader = (body: string) => OperationText

type OperationTextOptions = {
  /** Names of all mutations. */
  readonly mutations: readonly string[]
  /** Returns the text of a trusted document; null for an unknown id. */
  readonly documentOf: (id: string) => string | null
}

/** A request without any of these words is a query. */
const WORDS = /mutation|subscription|sha256Hash|documentId/
const QUERY: OperationText = { kind: 'query', commands: [] }
/** The keyword at the beginning of an operation: not within a name; also after an escaped line break. */
const OPERATION = /(?:^|[^\w\\]|\\[nrt])(mutation|subscription)(?=[\s{(@,#\\])/g
const DOCUMENT_ID = /"(?:sha256Hash|documentId)"\s{0,9}:\s{0,9}"([^"\\]{1,200})"/
const KEY = /\b(?:idempotencyKey|clientTransactionId)\\?"?\s{0,9}:\s{0,9}\\?"([^"\\]{1,255})/g
/** Largest number of commands that are looked for. */
const MAX_COMMANDS = 4

/**
 * Classifies a request by its body in linear time, without parsing, because it has not been admitted yet. The result can be wrong only
 * for requests that are written to mislead, and it only selects the queue.
 */
export function createOperationTextReader({ mutations, documentOf }: OperationTextOptions): OperationTextReader {
  return (body) => {
    if (!WORDS.test(body)) return QUERY
    const id = DOCUMENT_ID.exec(body)?.[1]
    const text = id === undefined ? body : `${documentOf(id) ?? ''}\n${body}`
    const kinds = new Set([...text.matchAll(OPERATION)].map(([, word]) => word))
    if (!kinds.has('mutation')) return { kind: kinds.has('subscription') ? 'subscription' : 'query', commands: [] }
    return { kind: 'mutation', commands: commandsIn(text, mutations) }
  }
}

function commandsIn(text: string, mutations: readonly string[]): CommandName[] {
  const named = mutations.filter((mutation) => text.includes(mutation))
  const keys = new Set([...text.matchAll(KEY)].map(([, key = '']) => key))
  return [...keys].flatMap((key) => named.map((mutation) => ({ mutation, key }))).slice(0, MAX_COMMANDS)
}

const QUEUES: Readonly<Record<OperationText['kind'], QueueName>> = {
  query: 'queries',
  mutation: 'commands',
  subscription: 'streams',
}

/** An operation of a socket, and its peer's name. */
export type ArrivedOperation = { readonly text: string; readonly caller: Caller; readonly peer: string }

/**
 * Queues an operation of a socket. `start` is called when it may begin, with the function that marks it as ended (for a stream: as
 * begun). Returns the function that removes it from the queue; null if it has begun.
 */
export function enterOverSocket(
  options: DescribeOptions & { readonly overload: Overload },
  { text, caller, peer }: ArrivedOperation,
  { start, refuse }: { readonly start: (release: () => void) => void; readonly refuse: () => void },
): (() => void) | null {
  const { kind, mustAnswer } = describeOperation(options, text, caller)
  return options.overload.enter(QUEUES[kind], {
    client: clientKey(caller, () => peer),
    bytes: text.length,
    mustAnswer,
    start(release) {
      if (kind === 'subscription') release()
      start(release)
    },
    refuse,
  })
}

/** By the seconds after which a client may retry. Made once each, because they are sent often when CPU time is scarce. */
const BODIES = new Map<number, string>()

/** Returns the HTTP response to a refused request. */
function overloadedAnswer(): EarlyAnswer {
  const seconds = retryAfterS()
  return {
    status: 503,
    headers: ['retry-after', String(seconds), 'content-type', 'application/json; charset=utf-8'],
    body: bodyOf(seconds),
  }
}

function bodyOf(seconds: number): string {
  const body = BODIES.get(seconds) ?? JSON.stringify(problem(503, seconds))
  BODIES.set(seconds, body)
  return body
}

/** Seconds until a refused client may retry: 1 to 3 at random, so that clients do not retry at the same time. */
export function retryAfterS(random: () => number = Math.random): number {
  return 1 + Math.floor(random() * 3)
}
