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

const view = <Name extends string>(name: Name, title: string, icon: string, key: string, scope: string | null) => ({
  name,
  title,
  icon,
  key,
  scope,
})

/** The views in the groups of the navigation; the first group has no name. */
export const GROUPS = [
  { name: '', views: [view('feed', 'Live events', 'events', 'f', 'payments:read')] },
  {
    name: 'Money in',
    views: [
      view('payments', 'Payments', 'payments', 'p', 'payments:read'),
      view('links', 'Links', 'links', 'l', 'payments:read'),
      view('agreements', 'Agreements', 'agreements', 'a', 'agreements:read'),
      view('gateway-payments', 'Gateway payments', 'gateway', 'g', 'payments:read'),
    ],
  },
  { name: 'Money out', views: [view('payouts', 'Payouts', 'payouts', 'o', 'payouts:read')] },
  {
    name: 'Set-up',
    views: [
      view('contacts', 'Contacts', 'contacts', 'c', 'customers:read'),
      view('methods', 'Methods', 'methods', 'm', null),
      view('accounts', 'Accounts', 'accounts', 'b', 'balances:read'),
    ],
  },
  {
    name: 'Operations',
    views: [
      view('deliveries', 'Webhooks', 'webhooks', 'd', 'payments:read'),
      view('imports', 'Reconciliation', 'reconcile', 'i', 'payments:reconcile'),
      view('health', 'Health', 'health', 'h', 'payments:read'),
    ],
  },
] as const

export type ViewName = (typeof GROUPS)[number]['views'][number]['name']

export const VIEWS: readonly View[] = GROUPS.flatMap(({ views }): readonly View[] => views)

/** Returns the view with this name, the first view for an empty name; null if there is no such view. */
export function viewOf(name: string): View | null {
  return VIEWS.find((one) => name === '' || one.name === name) ?? null
}
