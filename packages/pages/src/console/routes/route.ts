import { useLayoutEffect, useState } from 'preact/hooks'

/**
 * The current route: a view, the id of its subject, and its filters. All of it is in the URL's hash, so that it can be
 * shared and is part of the browser's history.
 */
export type Route = {
  readonly view: View
  readonly id: string | null
  readonly params: URLSearchParams
}

type Params = Readonly<Record<string, string | null | undefined>>

/** Parses a hash such as `#/payments?phase=FAILED` or `#/payments/D4H0OT5D`; null if it names no view. */
function routeOf(hash: string): Route | null {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name = '', id = ''] = path.split('/')
  const view = viewOf(name)
  return view && { view, id: id === '' ? null : decoded(id), params: new URLSearchParams(search) }
}

/** Returns the URL of a view, of one item in it, or of the view with filters; empty filters are left out. */
export function hrefOf(view: ViewName, id: string | null = null, params: Params = {}): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const search = new URLSearchParams(given).toString()
  return `#/${view}${id === null ? '' : `/${encodeURIComponent(id)}`}${search === '' ? '' : `?${search}`}`
}

/** Navigates to a URL, like a link to it. */
export function goTo(href: string): void {
  location.hash = href.slice(1)
}

/** Returns the current route; null if the URL names no view. */
export function useRoute(): Route | null {
  const [hash, setHash] = useState(location.hash)
  // A layout effect: other effects run after the page is drawn, and would miss a change until then.
  useLayoutEffect(() => {
    const update = () => setHash(location.hash)
    window.addEventListener('hashchange', update)
    return () => window.removeEventListener('hashchange', update)
  }, [])
  return routeOf(hash)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A view of the console: its name in the URL, its title, its icon, its shortcut after `g`, and its required scope. */
export type View = {
  readonly name: ViewName
  readonly title: string
  readonly icon: string
  readonly key: string
  readonly scope: string | null
}

/** The views in the groups of the navigation; the first group has no name. */
export const GROUPS = [
  {
    name: '',
    views: [
      { name: 'overview', title: 'Overview', icon: 'overview', key: 'v', scope: 'payments:read' },
      { name: 'feed', title: 'Live events', icon: 'events', key: 'f', scope: 'payments:read' },
    ],
  },
  {
    name: 'Money in',
    views: [
      { name: 'payments', title: 'Payments', icon: 'payments', key: 'p', scope: 'payments:read' },
      { name: 'links', title: 'Links', icon: 'links', key: 'l', scope: 'payments:read' },
      { name: 'agreements', title: 'Agreements', icon: 'agreements', key: 'a', scope: 'agreements:read' },
      { name: 'gateway-payments', title: 'Gateway payments', icon: 'gateway', key: 'g', scope: 'payments:read' },
    ],
  },
  {
    name: 'Money out',
    views: [{ name: 'payouts', title: 'Payouts', icon: 'payouts', key: 'o', scope: 'payouts:read' }],
  },
  {
    name: 'Set-up',
    views: [
      { name: 'contacts', title: 'Contacts', icon: 'contacts', key: 'c', scope: 'customers:read' },
      { name: 'methods', title: 'Methods', icon: 'methods', key: 'm', scope: null },
      { name: 'accounts', title: 'Accounts', icon: 'accounts', key: 'b', scope: 'balances:read' },
    ],
  },
  {
    name: 'Operations',
    views: [
      { name: 'deliveries', title: 'Webhooks', icon: 'webhooks', key: 'd', scope: 'payments:read' },
      { name: 'imports', title: 'Reconciliation', icon: 'reconcile', key: 'i', scope: 'payments:reconcile' },
      { name: 'health', title: 'Health', icon: 'health', key: 'h', scope: 'payments:read' },
    ],
  },
] as const

export type ViewName = (typeof GROUPS)[number]['views'][number]['name']

export const VIEWS: readonly View[] = GROUPS.flatMap(({ views }): readonly View[] => views)

/** Returns the view with this name, the first view for an empty name; null if there is no such view. */
export function viewOf(name: string): View | null {
  return VIEWS.find((one) => name === '' || one.name === name) ?? null
}
