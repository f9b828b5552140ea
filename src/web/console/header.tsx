import type { Connection } from '../../client/index.ts'
import { ConnectionBadge } from './feed/connection-badge.tsx'
import { momentText } from './pieces/moment.tsx'
import { hrefOf, type Route } from './routes/route.ts'
import { VIEWS } from './routes/views.ts'
import { useSession } from './session/session.ts'

type Props = { readonly route: Route | null; readonly connection: Connection; readonly onHelp: () => void }

/** The navigation, and the signed-in user. */
export function Header({ route, connection, onHelp }: Props) {
  return (
    <header>
      <nav aria-label="Views">
        <ul>
          {VIEWS.map(({ name, title }) => (
            <li key={name}>
              <a href={hrefOf(name)} aria-current={route?.view.name === name ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Identity connection={connection} onHelp={onHelp} />
    </header>
  )
}

function Identity({ connection, onHelp }: Omit<Props, 'route'>) {
  const { claims, signOut } = useSession()
  return (
    <div class="identity">
      {claims.scopes.has('payments:read') && <ConnectionBadge connection={connection} />}
      <details>
        <summary>{claims.subject ?? 'Nobody by name'}</summary>
        <p>The token ends {momentText(claims.expiresAt)}. Its scopes:</p>
        <ul>
          {[...claims.scopes].map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
            </li>
          ))}
        </ul>
      </details>
      <button type="button" onClick={onHelp}>
        Keys
      </button>
      <button type="button" onClick={() => signOut()}>
        Sign out
      </button>
    </div>
  )
}
