import { CombinedError, useClient, type TypedDocumentNode } from '@urql/preact'
import { PaymentsClientError } from 'payments-subgraph-client'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { type FeedEvent, LogContext } from '../feed/log-changes.ts'
import type { TypedDocumentString } from '../generated/graphql.ts'
import { repeatRead, type RepeatedRead } from './repeated-read.ts'
import { durationText, Moment } from './values.tsx'

export type Answer<Data> = {
  /** The last successful answer to these variables, or to those before them until the first one arrives. */
  readonly data: Data | undefined
  /** Why the last read failed, or is incomplete. */
  readonly error: CombinedError | undefined
  /** Whether there has been no answer to these variables yet. */
  readonly isAsking: boolean
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
  const [state, setState] = useState<State<Data>>({ key, data: undefined, error: undefined, readAt: null })
  const read = useRef<RepeatedRead | null>(null)
  const isConcerned = useRef(concerns)
  isConcerned.current = concerns

  useEffect(() => {
    if (pause) return undefined
    const take = (data: Data | undefined, error: CombinedError | undefined) =>
      setState((last) => nextState(last.key === key ? last : null, { key, data, error }))
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

  const isAsked = state.key === key
  return {
    data: state.data,
    error: isAsked ? state.error : undefined,
    isAsking: !isAsked || (state.readAt === null && state.error === undefined),
    readAt: isAsked ? state.readAt : null,
    askAgain: () => read.current?.now(),
  }
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
    <div class="notice bad" role="alert">
      <Sentences of={error} />
    </div>
  )
}

type AnswerProps = { readonly of: Pick<Answer<unknown>, 'error' | 'readAt'> }

/** Says why a view could not be read, and how old it is; renders nothing while it is up to date. */
export function AnswerFailure({ of: { error, readAt } }: AnswerProps) {
  if (error === undefined) return null
  if (!isPassing(error)) return <RequestFailure error={error} />
  return (
    <div class="notice bad">
      <div role="alert">
        <Sentences of={error} />
      </div>
      {/* Outside of the live region, because its text changes every second. */}
      <p>
        {readAt !== null && (
          <>
            Last refreshed <Age of={readAt} /> ago, at <Moment at={new Date(readAt).toISOString()} short />.{' '}
          </>
        )}
        It retries until that succeeds.
      </p>
    </div>
  )
}

function Sentences({ of: { networkError, graphQLErrors } }: { readonly of: CombinedError }) {
  const sentences = networkError
    ? ['The server cannot be reached.']
    : [...new Set(graphQLErrors.map(({ message, extensions }) => `${message} (${String(extensions['code'])})`))]
  return (
    <>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </>
  )
}

/** The time since an instant, in milliseconds since the epoch, as it passes. */
function Age({ of }: { readonly of: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000)
    return () => window.clearInterval(timer)
  }, [])
  return <>{durationText(Math.max(1_000, now - of))}</>
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
    <div class="notice bad" role="alert">
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
