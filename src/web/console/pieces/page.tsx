import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { wishedSearch } from '../shortcuts/search-wish.ts'
import type { Answer } from './use-answer.ts'

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

type WaitingProps = { readonly of: Pick<Answer<unknown>, 'error' | 'isAsking' | 'readAt'>; readonly what: string }

/** A placeholder for content that is loading, that could not be read, or that does not exist. */
export function Waiting({ of: { error, isAsking, readAt }, what }: WaitingProps) {
  if (isAsking) return <p class="quiet">Reading {what} …</p>
  // The reason is shown above.
  if (error !== undefined && readAt === null) return null
  return <p class="quiet">There are no {what} here.</p>
}
