import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Accounts } from './accounts/accounts.tsx'
import { ActionDrawer } from './action-drawer.tsx'
import { ActionContext, type ActionName } from './actions/actions.tsx'
import { Agreement } from './agreements/agreement.tsx'
import { Agreements } from './agreements/agreements.tsx'
import { Contacts } from './contacts/contacts.tsx'
import { Deliveries } from './deliveries/deliveries.tsx'
import { Delivery } from './deliveries/delivery.tsx'
import { REPLAY } from './deliveries/replay-several.tsx'
import { Replay } from './deliveries/replay.tsx'
import { Feed } from './feed/feed.tsx'
import { useFeed, type LiveFeed } from './feed/use-feed.ts'
import { GatewayPayment } from './gateway-payments/gateway-payment.tsx'
import { GatewayPayments } from './gateway-payments/gateway-payments.tsx'
import { Health } from './health/health.tsx'
import { Import } from './imports/import.tsx'
import { Imports } from './imports/imports.tsx'
import { Link } from './links/link.tsx'
import { Links } from './links/links.tsx'
import { Methods } from './methods/methods.tsx'
import { Overview } from './overview/overview.tsx'
import { Payment } from './payments/payment.tsx'
import { Payments } from './payments/payments.tsx'
import { Payout } from './payouts/payout.tsx'
import { Payouts } from './payouts/payouts.tsx'
import { AttentionContext, useAttention } from './pieces/head/attention.ts'
import { ConnectionContext } from './pieces/head/connection-badge.tsx'
import { LogContext } from './pieces/log-changes.ts'
import { Needs, Page } from './pieces/page.tsx'
import { hrefOf, useRoute, type Route } from './routes/route.ts'
import { useSession } from './session/session.ts'
import { HelpDialog } from './shell/help-dialog.tsx'
import { Palette } from './shell/palette.tsx'
import { Shell } from './shell/shell.tsx'
import { useShortcuts } from './shortcuts/shortcuts.ts'

/** The console of a signed-in user: the navigation, and the view that the URL names. */
export function Console() {
  const route = useRoute()
  const session = useSession()
  const mayRead = session.claims.scopes.has('payments:read')
  const feed = useFeed(mayRead ? session : null)
  const [open, setOpen] = useState<'keys' | 'palette' | ActionName | null>(null)
  useShortcuts(
    () => setOpen('keys'),
    () => setOpen('palette'),
  )
  return (
    <LogContext.Provider value={feed.changes}>
      <ConnectionContext.Provider value={mayRead ? feed.connection : null}>
        <ActionContext.Provider value={setOpen}>
          <WithAttention>
            <a
              class="button skip"
              href="#content"
              onClick={(event) => {
                event.preventDefault()
                document.querySelector('h1')?.focus()
              }}
            >
              Skip to the content
            </a>
            <Shell route={route} onSearch={() => setOpen('palette')} onKeys={() => setOpen('keys')}>
              {route === null ? <NoView /> : <Allowed route={route} feed={feed} />}
            </Shell>
            {open === 'keys' && <HelpDialog onClose={() => setOpen(null)} />}
            {open === 'palette' && <Palette onClose={() => setOpen((now) => (now === 'palette' ? null : now))} />}
            {open !== null && open !== 'keys' && open !== 'palette' && (
              <ActionDrawer key={open} name={open} onClose={() => setOpen(null)} />
            )}
          </WithAttention>
        </ActionContext.Provider>
      </ConnectionContext.Provider>
    </LogContext.Provider>
  )
}

function WithAttention({ children }: { readonly children: ComponentChildren }) {
  return <AttentionContext.Provider value={useAttention()}>{children}</AttentionContext.Provider>
}

type Props = { readonly route: Route; readonly feed: LiveFeed }

/** Shows the view, or names the scope that it needs. */
function Allowed({ route, feed }: Props) {
  const { scope, title } = route.view
  const { claims } = useSession()
  if (scope === null || claims.scopes.has(scope)) return <Shown route={route} feed={feed} />
  return (
    <Page key={title} title={title}>
      <Needs scopes={[scope]} what={title}>
        {null}
      </Needs>
    </Page>
  )
}

function NoView() {
  return (
    <Page title="Page not found">
      <p>
        The URL matches no view of the console. <a href={hrefOf('overview')}>Go to the overview</a>
      </p>
    </Page>
  )
}

function Shown({ route, feed }: Props) {
  const { view, id } = route
  switch (view.name) {
    case 'overview':
      return <Overview route={route} />
    case 'feed':
      return <Feed route={route} feed={feed} />
    case 'payments':
      return id === null ? <Payments route={route} /> : <Payment key={id} id={id} />
    case 'links':
      return id === null ? <Links route={route} /> : <Link key={id} id={id} />
    case 'agreements':
      return id === null ? <Agreements route={route} /> : <Agreement key={id} id={id} />
    case 'payouts':
      return id === null ? <Payouts route={route} /> : <Payout key={id} id={id} />
    case 'gateway-payments':
      return id === null ? <GatewayPayments route={route} /> : <GatewayPayment key={id} id={id} />
    case 'contacts':
      return <Contacts route={route} />
    case 'deliveries':
      if (id?.startsWith(REPLAY) === true) return <Replay key={id} id={id.slice(REPLAY.length)} route={route} />
      return id === null ? <Deliveries route={route} /> : <Delivery key={id} id={id} />
    case 'methods':
      return <Methods route={route} />
    case 'accounts':
      return <Accounts route={route} />
    case 'imports':
      return id === null ? <Imports route={route} /> : <Import key={id} id={id} />
    default:
      return <Health />
  }
}
