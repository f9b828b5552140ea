import type { ComponentChildren } from 'preact'
import { useSession } from '../session/session.ts'

type Props = {
  /** The required scopes; all of them are needed. */
  readonly scopes: readonly string[]
  /** What the scopes are needed for, as the beginning of a sentence. */
  readonly what: string
  readonly children: ComponentChildren
}

/** Shows its children when the token has the scopes, otherwise names the missing scope. */
export function Needs({ scopes, what, children }: Props) {
  const { claims } = useSession()
  const missing = scopes.filter((scope) => !claims.scopes.has(scope))
  if (missing.length === 0) return <>{children}</>
  return (
    <p class="unavailable">
      {what}: unavailable. The token lacks{' '}
      {missing.map((scope, index) => (
        <>
          {index > 0 && ' and '}
          <code>{scope}</code>
        </>
      ))}
      .
    </p>
  )
}
