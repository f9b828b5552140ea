import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { AttentionContext } from '../pieces/head/attention.ts'
import { ENVIRONMENT, EnvironmentBadge } from '../pieces/head/environment.tsx'
import { GROUPS, hrefOf, type Route, type View } from '../routes/route.ts'
import { useSession } from '../session/session.ts'
import { Logo } from './logo.tsx'
import { UserMenu } from './user-menu.tsx'

type Props = {
  readonly route: Route | null
  readonly onSearch: () => void
  readonly onKeys: () => void
  readonly children: ComponentChildren
}

/** The frame of every view: the navigation beside it, or, in a narrow window, in a drawer below a bar on top. */
export function Shell({ route, onSearch, onKeys, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [route?.view.name, route?.id])
  useEffect(() => {
    if (!isOpen) return undefined
    const close = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setOpen(false)
    }
    window.addEventListener('keydown', close)
    document.querySelector<HTMLElement>('.sidebar nav a')?.focus()
    return () => window.removeEventListener('keydown', close)
  }, [isOpen])
  return (
    <div class="console" data-env={ENVIRONMENT}>
      <aside class={isOpen ? 'sidebar open' : 'sidebar'} id="nav" aria-label="Navigation">
        <a class="home" href={hrefOf('overview')}>
          <Logo size={20} />
          <span>Payments</span>
          <EnvironmentBadge class="push" />
        </a>
        <button class="jump" type="button" onClick={onSearch}>
          <Icon name="search" />
          <span>Search or jump to</span>
          <kbd aria-hidden="true">Ctrl K</kbd>
        </button>
        <nav aria-label="Views">
          {GROUPS.map(({ name, views }) => (
            <>
              {name !== '' && <h2>{name}</h2>}
              <ul>
                {views.map((view) => (
                  <Item key={view.name} view={view} route={route} />
                ))}
              </ul>
            </>
          ))}
        </nav>
        <div class="foot">
          <button class="keys-link small faint" type="button" onClick={onKeys}>
            <span>Keys</span>
            <kbd aria-hidden="true">?</kbd>
          </button>
          <UserMenu />
        </div>
      </aside>
      {isOpen && <div class="scrim" onClick={() => setOpen(false)} />}
      <div class="content">
        <header class="topbar">
          <button
            class="tap"
            type="button"
            aria-label="Open the navigation"
            aria-expanded={isOpen}
            aria-controls="nav"
            onClick={() => setOpen(true)}
          >
            <Icon name="menu" />
          </button>
          <span class="where">{route?.view.title ?? 'Payments'}</span>
          <EnvironmentBadge />
          <button class="tap push" type="button" aria-label="Search" onClick={onSearch}>
            <Icon name="search" />
          </button>
        </header>
        <main class="page" id="content">
          {children}
        </main>
      </div>
    </div>
  )
}

type ItemProps = { readonly view: View; readonly route: Route | null }

/** A view in the navigation, with how much of it needs a person; faint where the scope is missing. */
function Item({ view: { name, title, icon, scope }, route }: ItemProps) {
  const { claims } = useSession()
  const count = useContext(AttentionContext)[name] ?? null
  const isAllowed = scope === null || claims.scopes.has(scope)
  return (
    <li>
      <a
        href={hrefOf(name)}
        class={isAllowed ? undefined : 'without-scope'}
        aria-current={route?.view.name === name ? 'page' : undefined}
      >
        <Icon name={icon} />
        <span>{title}</span>
        {count !== null && (
          <span class="count look">
            <span>{count}</span>
            <span class="hidden-text"> need attention</span>
          </span>
        )}
      </a>
    </li>
  )
}
