import type { CombinedError } from '@urql/preact'
import { useEffect, useState } from 'preact/hooks'
import { durationText, Moment } from './moment.tsx'
import { isPassing, type Answer } from './use-answer.ts'

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
            What is shown was read <Age of={readAt} /> ago, at <Moment at={new Date(readAt).toISOString()} short />
            .{' '}
          </>
        )}
        It is read again until that succeeds.
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
    statusRaw !== undefined && `The status that stands in the way: ${statusRaw}.`,
    inProgress === true && 'The first use of the key is still running.',
    operationId !== undefined && `For support: operation ${operationId}.`,
    Boolean(upstreamCode) && `The payments API’s code: ${upstreamCode}.`,
    Boolean(retryAfterSeconds) && `Try again after ${retryAfterSeconds} seconds.`,
    Boolean(site) && `The credentials: ${site}.`,
    reason !== undefined && `The reason: ${reason}.`,
  ].filter((sentence) => sentence !== false)
}
