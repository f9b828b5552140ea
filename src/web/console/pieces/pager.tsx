import { hrefOf, type Route } from '../routes/route.ts'

type Props = {
  readonly route: Route
  readonly page: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The way to the next page, and back to the first; the browser's own button leads to the one before. */
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
