import type { CombinedError } from '@urql/preact'

/** Says why a request failed, or why its response is incomplete; renders nothing without an error. */
export function RequestFailure({ error }: { readonly error: CombinedError | undefined }) {
  if (error === undefined) return null
  const sentences = error.networkError
    ? ['The server cannot be reached. What is shown may be out of date.']
    : [...new Set(error.graphQLErrors.map(({ message, extensions }) => `${message} (${String(extensions['code'])})`))]
  return (
    <div class="notice bad" role="alert">
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
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
