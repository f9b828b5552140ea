import { Client, fetchExchange, mapExchange, type CombinedError } from '@urql/preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { GreetingDocument } from '../generated/graphql.ts'
import { documentOf } from '../pieces/answers.tsx'
import { textIn } from '../pieces/form-text.ts'
import { EnvironmentBadge, nameWindow } from '../pieces/head/environment.tsx'
import { claimsOf, tidyToken } from '../session/session.ts'
import { Logo } from './logo.tsx'

type Props = {
  /** Why the last session ended; null when there was none. */
  readonly reason: string | null
  /** Where one signs in at the issuer of tokens; null where one signs in with a token alone. */
  readonly signInUrl: string | null
  readonly onToken: (token: string) => void
}

/** Asks for a client token, and checks that the server accepts it. */
export function SignIn({ reason, signInUrl, onToken }: Props) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  useLayoutEffect(() => {
    nameWindow('Sign in')
  }, [])

  const submit = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const token = tidyToken(textIn(event.currentTarget, 'token'))
    setProblem(null)
    setAsking(true)
    const found = await problemOf(token)
    setAsking(false)
    if (found === null) onToken(token)
    else setProblem(found)
  }

  const form = (
    <form class={signInUrl === null ? 'card gate-card' : 'gate-card'} onSubmit={(event) => void submit(event)}>
      <div class="field">
        <label for="token">Client token (JWT)</label>
        <textarea
          class="input"
          id="token"
          name="token"
          rows={4}
          required
          autocomplete="off"
          spellcheck={false}
          onKeyDown={(event) => {
            // A token is one line: Enter has no other use in this field.
            if (event.key !== 'Enter') return
            event.preventDefault()
            event.currentTarget.form?.requestSubmit()
          }}
          aria-describedby="token-help token-problem"
          aria-invalid={problem !== null}
        />
        <p id="token-help" class="hint">
          This browser keeps the token until you sign out. Its scopes decide what you can see and do.
        </p>
        <p id="token-problem" class="problem" role="alert">
          {problem}
        </p>
      </div>
      <button class={signInUrl === null ? 'button primary wide' : 'button wide'} disabled={isAsking}>
        Sign in
      </button>
    </form>
  )
  return (
    <main class="gate" id="content">
      <div class="gate-head">
        <Logo size={36} />
        <h1>Payments console</h1>
        <p>
          <EnvironmentBadge />
        </p>
      </div>
      {reason !== null && (
        <p class="note-block over" role="status">
          {reason}
        </p>
      )}
      {signInUrl === null ? (
        form
      ) : (
        <>
          <a class="button primary wide" href={signInUrl}>
            Sign in
          </a>
          <details class="gate-help">
            <summary>
              <Icon name="key" />
              Sign in with a token
            </summary>
            {form}
          </details>
        </>
      )}
    </main>
  )
}

/** Returns what is wrong with a token; null when the server accepts it. */
async function problemOf(token: string): Promise<string | null> {
  const claims = claimsOf(token)
  if (claims === null) return 'This is not a client token: a JWT has three parts separated by dots, and an expiry.'
  if (claims.expiresAt <= Date.now()) return 'This token has expired.'
  const client = createGraphqlClient(token, () => {})
  const { error } = await client.query(documentOf(GreetingDocument), {}).toPromise()
  if (error === undefined) return null
  if (isUnauthenticated(error)) return 'The server does not accept this token.'
  return 'The server could not check this token. Try again.'
}

const GRAPHQL_URL = '/graphql'

/** Creates a GraphQL client with the token; without a cache, because the console must show current data. */
export function createGraphqlClient(token: string, onUnauthenticated: () => void): Client {
  return new Client({
    url: GRAPHQL_URL,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [
      mapExchange({
        onError: (error) => {
          if (isUnauthenticated(error)) onUnauthenticated()
        },
      }),
      fetchExchange,
    ],
  })
}

/** Whether the server rejected the token. */
function isUnauthenticated({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')
}
