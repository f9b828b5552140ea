import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { wishedSearch } from '../shortcuts/search-wish.ts'

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

/** A placeholder for content that is loading or missing. */
export function Waiting({ isAsking, what }: { readonly isAsking: boolean; readonly what: string }) {
  return <p class="quiet">{isAsking ? `Reading ${what} …` : `There are no ${what} here.`}</p>
}
