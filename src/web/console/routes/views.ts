/** A view of the console: its name in the URL, its title, its shortcut after `g`, and its required scope. */
export type View = {
  readonly name: ViewName
  readonly title: string
  readonly key: string
  readonly scope: string | null
}

export type ViewName =
  | 'feed'
  | 'payments'
  | 'links'
  | 'agreements'
  | 'payouts'
  | 'gateway-payments'
  | 'contacts'
  | 'deliveries'
  | 'methods'
  | 'accounts'
  | 'imports'
  | 'health'

export const VIEWS: readonly View[] = [
  { name: 'feed', title: 'Live events', key: 'f', scope: 'payments:read' },
  { name: 'payments', title: 'Payments', key: 'p', scope: 'payments:read' },
  { name: 'links', title: 'Links', key: 'l', scope: 'payments:read' },
  { name: 'agreements', title: 'Agreements', key: 'a', scope: 'agreements:read' },
  { name: 'payouts', title: 'Payouts', key: 'o', scope: 'payouts:read' },
  { name: 'gateway-payments', title: 'Gateway payments', key: 'g', scope: 'payments:read' },
  { name: 'contacts', title: 'Contacts', key: 'c', scope: 'customers:read' },
  { name: 'deliveries', title: 'Deliveries', key: 'd', scope: 'payments:read' },
  { name: 'methods', title: 'Methods', key: 'm', scope: null },
  { name: 'accounts', title: 'Accounts', key: 'b', scope: 'balances:read' },
  { name: 'imports', title: 'Imports', key: 'i', scope: 'payments:reconcile' },
  { name: 'health', title: 'Health', key: 'h', scope: 'payments:read' },
]

/** Returns the view with this name, the first view for an empty name; null if there is no such view. */
export function viewOf(name: string): View | null {
  return VIEWS.find((view) => name === '' || view.name === name) ?? null
}
