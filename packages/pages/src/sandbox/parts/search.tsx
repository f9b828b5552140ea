import type { Query } from '../endpoints.ts'
import { PAGE_SIZE } from '../use-sandbox.ts'

type Asking = { readonly query: Query; readonly ask: (query: Query) => void }

/** The search field that filters every list. */
export function Search({ query, ask }: Asking) {
  return (
    <form role="search" onSubmit={(event) => event.preventDefault()}>
      <label for="search">Search</label>
      <input
        id="search"
        type="search"
        maxLength={200}
        placeholder="id, description, status …"
        onInput={({ currentTarget }) => ask({ ...query, search: currentTarget.value.trim() })}
      />
    </form>
  )
}

/** Maximum length of a list that the sandbox returns. */
const LONGEST = 1000

/** A button that reads more entries of a list, if there are more. */
export function More({ total, query, ask }: Asking & { readonly total: number }) {
  if (query.limit >= Math.min(total, LONGEST)) return null
  return (
    <button type="button" onClick={() => ask({ ...query, limit: Math.min(LONGEST, query.limit + PAGE_SIZE) })}>
      Show more
    </button>
  )
}
