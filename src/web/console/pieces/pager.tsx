import { hrefOf, type Route } from '../routes/route.ts'

type Props = {
  readonly route: Route
  readonly page: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** Links to the next and the first page; the browser's back button leads to the previous one. */
export function Pager({ route: { view, params }, page }: Props) {
  const filters = { ...Object.fromEntries(params), after: null }
  const isFirst = !params.has('after')
  if (isFirst && !page.hasNextPage) return null
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <a href={hrefOf(view.name, null, filters)}>First page</a>}
      {page.hasNextPage && <a href={hrefOf(view.name, null, { ...filters, after: page.endCursor })}>Next page</a>}
    </nav>
  )
}
