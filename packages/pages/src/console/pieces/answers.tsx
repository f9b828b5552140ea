import { type Client, CombinedError, useClient, type TypedDocumentNode } from '@urql/preact'
import { PaymentsClientError } from 'payments-subgraph-client'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { Glyph } from '../../design/icons.tsx'
import type { TypedDocumentString } from '../generated/graphql.ts'
import { type FeedEvent, LogContext } from './log-changes.ts'
import { repeatRead, type RepeatedRead } from './repeated-read.ts'
import { useStale } from './stale.ts'

export type Answer<Data> = {
  /** The last successful answer to these variables, or to those before them until the first one arrives. */
  readonly data: Data | undefined
  /** Why the last read failed, or is incomplete. */
  readonly error: CombinedError | undefined
  /** Whether there has been no answer to these variables yet. */
  readonly isAsking: boolean
  /** Whether `data` may not belong to these variables, or is an earlier answer that is being read again: it is dimmed. */
  readonly isOld: boolean
  /** When `data` was read, in milliseconds since the epoch; null when these variables have not been read successfully. */
  readonly readAt: number | null
  /** Sends the query now. */
  readonly askAgain: () => void
}

type AnswerOptions = {
  /** Sends nothing while it is true. */
  readonly pause?: boolean
  /** Which events of the log change the answer; it is read again soon after each. By default none. */
  readonly concerns?: (event: FeedEvent) => boolean
  /** Milliseconds between two reads without an event. */
  readonly everyMs?: number
}

type State<Data> = Pick<Answer<Data>, 'data' | 'error' | 'readAt'> & {
  /** The variables that were asked with. */
  readonly key: string
}

/** For what the log tells: the interval covers deliveries without an event, and the time in which the stream is down. */
const EVERY_MS = 10_000

/** Any event changes the answer. */
export const ANY_EVENT = (): boolean => true

/**
 * Sends a query when the component mounts and whenever its variables change, and again while it is shown. After a failure
 * it keeps the last answer to the same variables, and retries.
 */
export function useAnswer<Data, Variables extends object>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  { pause = false, concerns, everyMs = EVERY_MS }: AnswerOptions = {},
): Answer<Data> {
  const client = useClient()
  const log = useContext(LogContext)
  const key = JSON.stringify(variables)
  const earlier = earlierOf<Data>(client)
  const id = `${document.toString()} ${key}`
  const [state, setState] = useState<State<Data>>(
    () => earlier.get(id) ?? { key, data: undefined, error: undefined, readAt: null },
  )
  const firstState = useRef(state).current
  const read = useRef<RepeatedRead | null>(null)
  const isConcerned = useRef(concerns)
  isConcerned.current = concerns

  useEffect(() => {
    if (pause) return undefined
    const take = (data: Data | undefined, error: CombinedError | undefined) => {
      const next = nextState(earlier.get(id) ?? null, { key, data, error })
      remember(earlier, id, next)
      setState(next)
    }
    const begunAt = Date.now()
    const repeated = repeatRead({
      everyMs,
      send: (end) => {
        const subscription = client
          .query(documentOf(document), variables)
          .subscribe(({ data, error, stale, hasNext }) => {
            if (stale || hasNext) return
            take(data, error)
            end(error !== undefined && isPassing(error) ? 'failed' : 'read')
            // The client shares a query that is subscribed, and would repeat its result instead of sending it again.
            queueMicrotask(() => subscription.unsubscribe())
          })
        return () => subscription.unsubscribe()
      },
      onTimeout: () => take(undefined, new CombinedError({ networkError: new Error('The server does not answer.') })),
    })
    read.current = repeated
    const stopListening = log.listen((events) => {
      const concerned = isConcerned.current
      // An answer that no event changes is not read a second time when the stream connects at first.
      const mayBeOld = concerned !== undefined || Date.now() - begunAt > EVERY_MS
      if (events === null ? mayBeOld : concerned !== undefined && events.some(concerned)) repeated.soon()
    })
    return () => {
      stopListening()
      repeated.stop()
    }
  }, [client, log, document, key, pause, everyMs])

  // On the way back the earlier answer is shown at once, so that the place in it is found again.
  const shown = state.key === key ? state : (earlier.get(id) ?? state)
  const isAsked = shown.key === key
  const isEarlier = isAsked && (shown !== state || state === firstState)
  return {
    data: shown.data,
    error: isAsked ? shown.error : undefined,
    isAsking: !isAsked || (shown.readAt === null && shown.error === undefined),
    isOld: !isAsked || (isEarlier && shown.readAt !== null && Date.now() - shown.readAt > EVERY_MS),
    readAt: isAsked ? shown.readAt : null,
    askAgain: () => read.current?.now(),
  }
}

/** Number of earlier answers that are kept. */
const MOST_EARLIER = 30
const answers = new WeakMap<Client, Map<string, unknown>>()

/** Returns the last answers of a session, by query and variables; they end with its client. */
function earlierOf<Data>(client: Client): Map<string, State<Data>> {
  const known = answers.get(client) ?? new Map<string, unknown>()
  answers.set(client, known)
  return known as Map<string, State<Data>>
}

function remember<Data>(earlier: Map<string, State<Data>>, id: string, state: State<Data>): void {
  earlier.delete(id)
  earlier.set(id, state)
  const [oldest] = earlier.keys()
  if (earlier.size > MOST_EARLIER && oldest !== undefined) earlier.delete(oldest)
}

/** Whether the same query may succeed later. */
function isPassing({ networkError, graphQLErrors }: CombinedError): boolean {
  if (networkError !== undefined) return true
  return graphQLErrors.some(({ extensions, message }) => {
    const { code } = extensions
    return typeof code === 'string' && new PaymentsClientError(code, message).retryable
  })
}

/** Returns the state after a response; `last` is the state of the same variables. */
function nextState<Data>(
  last: State<Data> | null,
  { key, data, error }: Pick<State<Data>, 'key' | 'data' | 'error'>,
): State<Data> {
  if (error === undefined || !isPassing(error)) return { key, data, error, readAt: Date.now() }
  return { key, data: withoutHoles(data, last?.data, error), error, readAt: last?.readAt ?? null }
}

/** Returns an incomplete answer whose fields that failed are those of the last one. */
function withoutHoles<Data>(data: Data | undefined, last: Data | undefined, { graphQLErrors }: CombinedError) {
  if (data === undefined || data === null || last === undefined || last === null) return data ?? last
  const failed = new Set(graphQLErrors.map(({ path }) => path?.[0]))
  const fields = Object.entries(data).map(([name, value]) => [
    name,
    value === null && failed.has(name) ? last[name as keyof Data] : (value as unknown),
  ])
  return Object.fromEntries(fields) as Data
}

/**
 * Converts a generated document to the form that the GraphQL client accepts: its text, with the types of its data and
 * variables.
 */
export function documentOf<Data, Variables extends object>(
  document: TypedDocumentString<Data, Variables>,
): TypedDocumentNode<Data, Variables> {
  return document.toString() as unknown as TypedDocumentNode<Data, Variables>
}

/** Says why a request failed, or why its response is incomplete; renders nothing without an error. */
export function RequestFailure({ error }: { readonly error: CombinedError | undefined }) {
  if (error === undefined) return null
  return (
    <div class="banner fault" role="alert">
      <Glyph name="fail" />
      <div>
        <Sentences of={error} />
      </div>
    </div>
  )
}

type AnswerProps = { readonly of: Pick<Answer<unknown>, 'error' | 'readAt' | 'askAgain'> }

/**
 * Says why a view could not be read; renders nothing while it is up to date. A view that has an earlier answer says in its head how old that
 * is, so that nothing moves.
 */
export function AnswerFailure({ of: { error, readAt, askAgain } }: AnswerProps) {
  const isOld = error !== undefined && isPassing(error) && readAt !== null
  useStale(isOld ? { readAt, reason: sentencesOf(error).join(' '), askAgain } : null)
  if (error === undefined || isOld) return null
  return (
    <div class="banner fault" role="alert">
      <Glyph name="fail" />
      <div>
        <Sentences of={error} />
        {isPassing(error) && <p>It is read again until that succeeds.</p>}
      </div>
      {isPassing(error) && (
        <div class="actions">
          <button class="button" type="button" onClick={askAgain}>
            Try now
          </button>
        </div>
      )}
    </div>
  )
}

function sentencesOf({ networkError, graphQLErrors }: CombinedError): string[] {
  if (networkError !== undefined) return ['The server cannot be reached.']
  return [...new Set(graphQLErrors.map(({ message, extensions }) => `${message} (${String(extensions['code'])})`))]
}

function Sentences({ of }: { readonly of: CombinedError }) {
  return (
    <>
      {sentencesOf(of).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </>
  )
}

/** An expected failure of a mutation, as the schema gives it. */
export type Failure = {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly problems?: readonly { readonly path: readonly string[]; readonly message: string }[]
  readonly statusRaw?: string
  readonly inProgress?: boolean
  readonly operationId?: string
  readonly upstreamCode?: string | null
  readonly retryAfterSeconds?: number | null
  readonly site?: string | null
  readonly reason?: string
}

/** An expected failure: its message, and its fields in the schema. */
export function FailureNotice({ failure }: { readonly failure: Failure }) {
  return (
    <div class="banner fault" role="alert">
      <Glyph name="fail" />
      <div>
        <p>
          <strong>{failure.code}</strong> {failure.message}
        </p>
        {failure.problems !== undefined && failure.problems.length > 0 && (
          <ul>
            {failure.problems.map(({ path, message }) => (
              <li key={path.join('.') + message}>
                <code>{path.join('.')}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {detailsOf(failure).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </div>
  )
}

function detailsOf(failure: Failure): string[] {
  const { statusRaw, inProgress, operationId, upstreamCode, retryAfterSeconds, site, reason } = failure
  return [
    statusRaw !== undefined && `The current status does not allow it: ${statusRaw}.`,
    inProgress === true && 'The first request with this key is still running.',
    operationId !== undefined && `For support: operation ${operationId}.`,
    Boolean(upstreamCode) && `The payments API’s code: ${upstreamCode}.`,
    Boolean(retryAfterSeconds) && `Try again after ${retryAfterSeconds} seconds.`,
    Boolean(site) && `Site: ${site}.`,
    reason !== undefined && `The reason: ${reason}.`,
  ].filter((sentence) => sentence !== false)
}

/**
 * Returns whether an action is running, and the action itself; calls while it is running are ignored, e.g. on a double
 * click.
 */
export function useSingle<Args extends readonly unknown[]>(
  action: (...args: Args) => Promise<void>,
): [isBusy: boolean, act: (...args: Args) => void] {
  const isRunning = useRef(false)
  const [isBusy, setBusy] = useState(false)
  const run = async (args: Args) => {
    isRunning.current = true
    setBusy(true)
    try {
      await action(...args)
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return [isBusy, (...args) => void (isRunning.current || run(args))]
}
