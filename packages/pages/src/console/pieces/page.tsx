import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { hrefOf, type Route } from '../routes/route.ts'
import { useSession } from '../session/session.ts'
import { wishedSearch } from '../shortcuts/shortcuts.ts'
import type { Answer } from './answers.tsx'

type Props = { readonly title: string; readonly children: ComponentChildren }

/**
 * A view with its heading. On navigation the heading gets the focus, so that screen readers announce the view; or the search
 * field gets it, when the search shortcut was used.
 */
export function Page({ title, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  // A layout effect: a key that is pressed as soon as the heading is visible may already navigate to the next view.
  useLayoutEffect(() => {
    document.title = `${title} · Payments console`
    const start = wishedSearch() ?? heading.current
    start?.focus()
  }, [title])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  )
}

type WaitingProps = {
  readonly of: Pick<Answer<unknown>, 'error' | 'isAsking' | 'readAt'>
  readonly what: string
  /** Whether others were not looked at. */
  readonly more?: boolean | undefined
}

/** A placeholder for content that is loading, that could not be read, or that does not exist. */
export function Waiting({ of: { error, isAsking, readAt }, what, more = false }: WaitingProps) {
  if (isAsking) return <p class="quiet">Reading {what} …</p>
  // The reason is shown above.
  if (error !== undefined && readAt === null) return null
  return <p class="quiet">{more ? `No match among the ${what} searched so far.` : `There are no ${what} here.`}</p>
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

/** A list of names and values. */
export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>
}

/** One name and value; not rendered while the value is empty. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  if (children === null || children === undefined || children === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

type TableProps = {
  readonly caption: string
  readonly columns: readonly string[]
  /** The rows of the table: `tr` elements. */
  readonly children: ComponentChildren
}

/** A table with named columns; it scrolls sideways when it does not fit. */
export function Table({ caption, columns, children }: TableProps) {
  return (
    <div class="scroll" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

type RowProps = { readonly href: string; readonly name: string; readonly children: ComponentChildren }

/** A row whose header cell links to the item. The keys j and k move between rows. */
export function Row({ href, name, children }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <a href={href} data-row>
          {name}
        </a>
      </th>
      {children}
    </tr>
  )
}

type PagerProps = {
  readonly route: Route
  readonly page: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  /** Whether the page is full; another one ends where the server stopped looking. */
  readonly isFull: boolean
}

/** Links to the next and the first page; the browser's back button leads to the previous one. */
export function Pager({ route: { view, params }, page, isFull }: PagerProps) {
  const filters = { ...Object.fromEntries(params), after: null }
  const isFirst = !params.has('after')
  if (isFirst && !page.hasNextPage) return null
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <a href={hrefOf(view.name, null, filters)}>First page</a>}
      {page.hasNextPage && (
        <a href={hrefOf(view.name, null, { ...filters, after: page.endCursor })}>
          {isFull ? 'Next page' : 'Search older entries'}
        </a>
      )}
    </nav>
  )
}
