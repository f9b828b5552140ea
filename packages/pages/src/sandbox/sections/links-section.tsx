import type { ComponentChildren } from 'preact'
import type { GatewayPayment, Link } from '../endpoints.ts'
import { usePage, type Subject } from '../page-context.ts'
import { Table, Begin, Status, Time } from '../parts/small.tsx'

/** The payment links. */
export function Links() {
  const { snapshot } = usePage()
  return (
    <LinkTable
      caption="Payment links, newest first"
      links={snapshot.state.links}
      kind="links"
      what="link"
      empty={<Begin what="links" example="links" />}
    />
  )
}

/** The direct payins. */
export function Payins() {
  const { snapshot } = usePage()
  return (
    <LinkTable
      caption="Direct payins, newest first"
      links={snapshot.state.payins}
      kind="payins"
      what="payin"
      empty={<Begin what="payins" example="payins" />}
    />
  )
}

/** The payments of the hosted gateway. */
export function GatewayPayments() {
  const { snapshot, query } = usePage()
  return (
    <LinkTable
      caption="Gateway payments, newest first"
      links={snapshot.state.gatewayPayments}
      kind="gateway_payments"
      what="gateway payment"
      empty={
        query.search === '' ? (
          <p>
            There are no gateway payments yet. They need an access token first:{' '}
            <code>GET /v1/payment_gateways/access_token</code>, then{' '}
            <code>POST /v1/payment_gateways/create_payment</code> with it as the header <code>access-token</code>.
          </p>
        ) : (
          <p>No gateway payments with “{query.search}” in it.</p>
        )
      }
    />
  )
}

type LinkTableProps = {
  readonly caption: string
  readonly links: readonly (Link | GatewayPayment)[]
  readonly kind: Subject['kind']
  readonly what: string
  readonly empty: ComponentChildren
}

function LinkTable({ caption, links, kind, what, empty }: LinkTableProps) {
  const { open } = usePage()
  return (
    <Table
      caption={caption}
      head={[
        'Id',
        'Reference',
        'Description',
        'Amount',
        'Method',
        'Status',
        'Next step',
        'Created',
        'Expires',
        'Actions',
      ]}
      rows={links}
      keyOf={({ uuid }) => uuid}
      empty={empty}
      cells={(link) => [
        <code>{link.uuid}</code>,
        'orderId' in link ? link.orderId : link.externalId,
        link.description,
        `${link.amount} ${link.currency}`,
        link.methodCode,
        <Status status={link.status} detail={link.errorCode} />,
        <Time at={link.nextStepAt} />,
        <Time at={link.createdAt} />,
        <Time at={link.expiresAt} />,
        <div class="actions">
          <button
            type="button"
            onClick={() =>
              open({ kind, id: link.uuid, webhookSubject: link.uuid, title: `Change ${what} ${link.uuid}` })
            }
          >
            Change<span class="visually-hidden"> {`${what} ${link.uuid}`}</span>
          </button>
          <a href={link.paymentUrl} target="_blank" rel="noopener noreferrer">
            Open page<span class="visually-hidden"> of {`${what} ${link.uuid}`}, in a new tab</span>
          </a>
        </div>,
      ]}
    />
  )
}
