import type { IncomingMessage } from 'node:http'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import type { Exchange } from '../graphql/graphql-body.ts'
import { type DirectAnswer, type DirectAnswers, problemAnswer } from '../server/direct-answers.ts'
import { clientKey, peerKey, type Overload, type Entry, type QueueName } from './overload.ts'

export type OverloadAdmissionOptions = DescribeOptions & {
  readonly overload: Overload
  /** The caller of a request; a promise, which may reject, if its token is verified for the first time. */
  readonly callerOf: (exchange: Exchange) => Caller | Promise<Caller>
  /** Address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly send: DirectAnswers['send']
}

/** Queues a GraphQL request whose body has been read, so that slow senders hold no slot; `begin` is called when it may begin. */
export type Admit = (exchange: Exchange, begin: () => void) => void

export function createAdmission(options: OverloadAdmissionOptions): Admit {
  const { overload, callerOf, send } = options
  const peerOf = (request: IncomingMessage) => peerKey(options.addressOf(request), request)

  const enter = (exchange: Exchange, caller: Caller, begin: () => void) => {
    const { request, response, body } = exchange
    const text = body ?? ''
    const { kind, mustAnswer } = describeOperation(options, text, caller)
    const cancel = overload.enter(kind === 'mutation' ? 'commands' : 'queries', {
      client: clientKey(caller, () => peerOf(request)),
      bytes: text.length,
      mustAnswer,
      start: (release) => {
        // The client has disconnected.
        if (response.destroyed) return release()
        exchange.endAdmission = release
        return begin()
      },
      refuse: () => send(request, response, overloadedAnswer()),
    })
    if (cancel !== null) response.once('close', cancel)
  }
  return (exchange, begin) => {
    const caller = callerOf(exchange)
    if (!(caller instanceof Promise)) return enter(exchange, caller, begin)
    const as = (known: Caller) => enter(exchange, known, begin)
    // An invalid token is reported when the request begins.
    return void caller.then(as, () => as(ANONYMOUS))
  }
}

type EarlyRefusalOptions = Pick<OverloadAdmissionOptions, 'overload' | 'addressOf' | 'send'>

/**
 * Returns the function that refuses GraphQL requests without a token before their body is read, and whether it did. Such a request need not
 * be answered whatever its body says, and its client is identified by address. It refuses only requests that would be refused on
 * entry to the queue.
 */
export function createEarlyRefusal({ overload, addressOf, send }: EarlyRefusalOptions) {
  return ({ request, response }: Pick<Exchange, 'request' | 'response'>): boolean => {
    if (!overload.isFull('queries') || request.headers.authorization !== undefined) return false
    const client = clientKey(ANONYMOUS, () => peerKey(addressOf(request), request))
    return overload.refuse('queries', client, () => send(request, response, overloadedAnswer()))
  }
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
const ANSWERS = new Map<number, DirectAnswer>()

/** Returns the HTTP response to a refused request. */
function overloadedAnswer(): DirectAnswer {
  const seconds = retryAfterS()
  const answer = ANSWERS.get(seconds) ?? problemAnswer(503, { retryAfterS: seconds })
  ANSWERS.set(seconds, answer)
  return answer
}

/** Seconds until a refused client may retry: 1 to 3 at random, so that clients do not retry at the same time. */
export function retryAfterS(random: () => number = Math.random): number {
  return 1 + Math.floor(random() * 3)
}
