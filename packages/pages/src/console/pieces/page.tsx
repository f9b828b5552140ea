import type { ComponentChildren } from 'preact'
import { useCallback, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Glyph, Icon } from '../../design/icons.tsx'
import { returnTo } from '../routes/places.ts'
import { hrefOf, useRoute, viewOf, type Route, type ViewName } from '../routes/route.ts'
import { useSession } from '../session/session.ts'
import { wishedSearch } from '../shortcuts/shortcuts.ts'
import type { Answer } from './answers.tsx'
import { ConnectionBadge } from './head/connection-badge.tsx'
import { nameWindow } from './head/environment.tsx'
import { OutageBanner } from './head/outage-banner.tsx'
import { type Stale, StaleContext } from './stale.ts'
import type { Tone } from './statuses.ts'

type Props = {
  readonly title: string
  /** Of one subject: the list that it is in. */
  readonly in?: ViewName
  /** Of one subject: what the heading shows after the title, which is then for screen readers alone. */
  readonly heading?: ComponentChildren
  /** Of one subject: a line below the heading. */
  readonly about?: ComponentChildren
  /** Buttons of the head. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/**
 * A view with its head. On navigation the heading gets the focus, so that screen readers announce the view; or the search
 * field gets it, when the search shortcut was used; or, on the way back, the row that was left.
 */
export function Page({ title, in: list, heading, about, actions, children }: Props) {
  const h1 = useRef<HTMLHeadingElement>(null)
  const [stale, tellStale] = useStaleParts()
  useLayoutEffect(() => nameWindow(title), [title])
  const page = useRoute()?.params.get('after') ?? null
  const isShown = useRef(false)
  // A layout effect: a key that is pressed as soon as the heading is visible may already navigate to the next view.
  useLayoutEffect(() => {
    const start = wishedSearch()
    if (start === null && returnTo()) return
    window.scrollTo(0, 0)
    const target = start ?? (isShown.current ? null : h1.current)
    target?.focus({ preventScroll: true })
    isShown.current = true
  }, [page])
  const name = (
    <h1 ref={h1} tabIndex={-1}>
      {heading === undefined ? (
        title
      ) : (
        <>
          <span class="hidden-text">{title}: </span>
          {heading}
        </>
      )}
    </h1>
  )
  const buttons = actions !== undefined && <div class="row wrap push">{actions}</div>
  return (
    <StaleContext.Provider value={tellStale}>
      {list === undefined ? (
        <header>
          {name}
          <ConnectionBadge stale={stale} />
          {buttons}
        </header>
      ) : (
        <>
          <nav class="crumbs" aria-label="Where you are">
            <a href={hrefOf(list)}>{viewOf(list)?.title}</a>
            <Icon name="right" />
            <span aria-current="page">{title.slice(title.indexOf(' ') + 1)}</span>
            <span class="push">
              <ConnectionBadge stale={stale} />
            </span>
          </nav>
          <div class="hero">
            <div>
              {name}
              {about !== undefined && <p class="who-paid">{about}</p>}
            </div>
            {buttons}
          </div>
        </>
      )}
      <OutageBanner />
      {children}
    </StaleContext.Provider>
  )
}

/** Collects what the parts of a view say about their data, and returns the oldest that is not up to date. */
function useStaleParts(): [Stale | null, (part: string, stale: Stale | null) => void] {
  const parts = useMemo(() => new Map<string, Stale>(), [])
  const [oldest, setOldest] = useState<Stale | null>(null)
  const tell = useCallback((part: string, stale: Stale | null) => {
    if (stale === null) parts.delete(part)
    else parts.set(part, stale)
    setOldest([...parts.values()].toSorted((a, b) => a.readAt - b.readAt)[0] ?? null)
  }, [])
  return [oldest, tell]
}

type WaitingProps = {
  readonly of: Pick<Answer<unknown>, 'error' | 'isAsking' | 'readAt'>
  readonly what: string
  /** Whether others were not looked at. */
  readonly more?: boolean | undefined
}

/** A placeholder for content that is loading, that could not be read, or that does not exist. */
export function Waiting({ of: { error, isAsking, readAt }, what, more = false }: WaitingProps) {
  if (isAsking) return <Skeleton what={what} />
  // The reason is shown above.
  if (error !== undefined && readAt === null) return null
  return (
    <Empty title={more ? `No match among the ${what} searched so far.` : `There are no ${what} here.`}>{null}</Empty>
  )
}

/** What is shown in the place of a list that is empty. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name="search" />
      <strong>{title}</strong>
      {children}
    </div>
  )
}

const BONES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']

/** The place of a list while it is read, with the height of its head and its first rows. */
export function Skeleton({ what }: { readonly what: string }) {
  return (
    <div class="loading" aria-busy="true">
      <span class="hidden-text" role="status">
        Reading {what} …
      </span>
      {BONES.map((bone) => (
        <div key={bone} class="bone">
          <span class="skeleton" />
          <span class="skeleton" />
          <span class="skeleton" />
          <span class="skeleton" />
          <span class="skeleton" />
        </div>
      ))}
    </div>
  )
}

type NeedsProps = {
  /** The required scopes; all of them are needed. */
  readonly scopes: readonly string[]
  /** What the scopes are needed for, as the beginning of a sentence. */
  readonly what: string
  readonly children: ComponentChildren
}

/** Shows its children when the token has the scopes, otherwise names the missing scope. */
export function Needs({ scopes, what, children }: NeedsProps) {
  const { claims } = useSession()
  const missing = scopes.filter((scope) => !claims.scopes.has(scope))
  if (missing.length === 0) return <>{children}</>
  return (
    <p class="lacks">
      <Icon name="lock" />
      <span>
        {what}: unavailable. The token lacks{' '}
        {missing.map((scope, index) => (
          <>
            {index > 0 && ' and '}
            <code>{scope}</code>
          </>
        ))}
        .
      </span>
    </p>
  )
}

type BannerProps = {
  readonly tone: Tone
  readonly glyph: string
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** What a person has to know, what it means for the money, and what to do. */
export function Banner({ tone, glyph, title, actions, children }: BannerProps) {
  const id = useId()
  return (
    <section class={`banner ${tone}`} aria-labelledby={id}>
      <Glyph name={glyph} />
      <div>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </section>
  )
}

/** A list of names and values. */
export function Facts({
  class: more = '',
  children,
}: {
  readonly class?: string
  readonly children: ComponentChildren
}) {
  return <dl class={`facts ${more}`}>{children}</dl>
}

/** One name and value; not rendered while the value is empty. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  if (children === null || children === undefined || children === '' || children === false) return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

type Tab = {
  readonly name: string
  readonly href: string
  readonly isCurrent: boolean
  /** How many need a person; null for none. */
  readonly count?: string | null
}

/** Links to parts of a list. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, href, isCurrent, count = null }) => (
        <a key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
          <span>{name}</span>
          {count !== null && <span class="count look">{count}</span>}
        </a>
      ))}
    </nav>
  )
}

type TableProps = {
  readonly caption: string
  /** The heads of the columns; one of an amount or a time is `[name, 'number']`. */
  readonly columns: readonly (string | readonly [name: string, align: 'number'])[]
  /** On a phone each row is a card of two lines. */
  readonly isFolding?: boolean
  readonly class?: string
  /** The head of a first column whose cells select rows. */
  readonly pick?: ComponentChildren
  /** The rows of the table: `tr` elements. */
  readonly children: ComponentChildren
}

/** A table with named columns; it scrolls sideways when it does not fit. */
export function Table({ caption, columns, isFolding = false, class: more = '', pick, children }: TableProps) {
  return (
    <div class="table-wrap" role="group" aria-label={caption} tabIndex={0}>
      <table class={`table ${isFolding ? 'folds' : ''} ${more}`}>
        <caption class="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {pick !== undefined && (
              <th scope="col" class="pick">
                {pick}
              </th>
            )}
            {columns.map((column) => {
              const [name, align] = typeof column === 'string' ? [column] : column
              return (
                <th key={name} scope="col" class={align}>
                  {name}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** The link of a row, which covers the whole row. The keys j and k move between rows. */
export function RowLink({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  return (
    <a class="whole" href={href} data-row>
      {children}
    </a>
  )
}

type PagerProps = {
  readonly route: Route
  readonly page: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  /** Whether the page is full; another one ends where the server stopped looking. */
  readonly isFull: boolean
}

/** The cursor before each cursor that this page has shown as the next one: the graph reads forwards alone. */
const before = new Map<string, string | null>()

/** Links to the next, the previous and the first page. */
export function Pager({ route: { view, params }, page, isFull }: PagerProps) {
  const after = params.get('after')
  const hrefAfter = (cursor: string | null) => hrefOf(view.name, null, { ...Object.fromEntries(params), after: cursor })
  // While the next page is read, `page` is still that before it.
  if (page.endCursor !== null && !before.has(page.endCursor)) before.set(page.endCursor, after)
  if (after === null && !page.hasNextPage) return null
  const previous = after === null ? undefined : before.get(after)
  return (
    <nav class="pages" aria-label="Pages">
      {after !== null && (
        <a class="button" href={hrefAfter(null)}>
          First page
        </a>
      )}
      <span class="push">
        {previous !== undefined && (
          <a class="button" href={hrefAfter(previous)}>
            Previous page
          </a>
        )}
        {page.hasNextPage && (
          <a class="button" href={hrefAfter(page.endCursor)}>
            {isFull ? 'Next page' : 'Search older entries'}
          </a>
        )}
      </span>
    </nav>
  )
}
