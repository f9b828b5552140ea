import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { PAGE_SIZE, type Query } from '../state/endpoints.ts'

type Asking = { readonly query: Query; readonly ask: (query: Query) => void }

/** The search field that filters every list; the key `/` leads to it. */
export function Search({ query, ask }: Asking) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const go = (event: KeyboardEvent) => {
      if (event.key !== '/' || (event.target as Element).matches('input, select, textarea')) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', go)
    return () => removeEventListener('keydown', go)
  }, [])
  return (
    <form role="search" class="search jump-field" onSubmit={(event) => event.preventDefault()}>
      <Icon name="search" />
      <input
        ref={field}
        class="input"
        type="search"
        aria-label="Search"
        maxLength={200}
        placeholder="Id, description, status"
        onInput={({ currentTarget }) => ask({ ...query, search: currentTarget.value.trim() })}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  )
}

/** Maximum length of a list that the sandbox returns. */
const LONGEST = 1000

/** A button that reads more entries of a list, if there are more. */
export function More({ total, query, ask }: Asking & { readonly total: number }) {
  if (query.limit >= Math.min(total, LONGEST)) return null
  return (
    <button
      class="button"
      type="button"
      onClick={() => ask({ ...query, limit: Math.min(LONGEST, query.limit + PAGE_SIZE) })}
    >
      Show more
    </button>
  )
}
