import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { wishedSearch } from '../shortcuts/search-wish.ts'

type Props = { readonly title: string; readonly children: ComponentChildren }

/**
 * A view under its heading, which gets the focus when it is gone to, so that a reader knows where it is; or its search field
 * does, when that was asked for.
 */
export function Page({ title, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  // At once: a key that is pressed as soon as the heading shows may wish for the next view already.
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

/** What to show in the place of something that is not there yet. */
export function Waiting({ isAsking, what }: { readonly isAsking: boolean; readonly what: string }) {
  return <p class="quiet">{isAsking ? `Reading ${what} …` : `There are no ${what} here.`}</p>
}
