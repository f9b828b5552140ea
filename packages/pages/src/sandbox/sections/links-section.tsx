import type { ComponentChildren } from 'preact'
import { Icon } from '../../design/icons.tsx'
import { Empty, Money, Status, Table, Time } from '../parts/small.tsx'
import type { GatewayPayment, Link } from '../state/endpoints.ts'
import { type Subject, usePage } from '../state/page-context.ts'
import { Activity } from './activity.tsx'
import { NextFaults } from './state-sections.tsx'

/** The payment links, with what happens and what will fail beside them. */
export function Links() {
  const { snapshot } = usePage()
  return (
    <>
      <LinkTable
        caption="Links, newest first"
        links={snapshot.state.links}
        kind="links"
        what="link"
        empty={<Empty what="links" />}
      />
      <div class="grid lower">
        <Activity />
        <NextFaults />
      </div>
    </>
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
      empty={<Empty what="payins" />}
    />
  )
}

/** The payments of the hosted gateway. */
export function GatewayPayments() {
  const { snapshot } = usePage()
  return (
    <LinkTable
      caption="Gateway payments, newest first"
      links={snapshot.state.gatewayPayments}
      kind="gateway_payments"
      what="gateway payment"
      empty={
        <Empty what="gateway payments">
          There are no gateway payments yet. They need an access token first:{' '}
          <code>GET /v1/payment_gateways/access_token</code>, then <code>POST /v1/payment_gateways/create_payment</code>{' '}
          with it as the header <code>access-token</code>.
        </Empty>
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
        ['Id', 'mono drop'],
        ['Amount', 'number lead'],
        ['Status', 'end lead'],
        ['Reference', 'cut'],
        ['Method', 'faint drop'],
        ['Next step, or end', 'faint number end'],
        ['Actions', 'acts'],
      ]}
      rows={links}
      keyOf={({ uuid }) => uuid}
      empty={empty}
      cells={(link) => [
        link.uuid,
        <Money amount={link.amount} currency={link.currency} />,
        <Status status={link.status} detail={link.errorCode} />,
        <b class="medium" title={link.description}>
          {('orderId' in link ? link.orderId : link.externalId) ?? link.description}
        </b>,
        <code>{link.methodCode}</code>,
        <Time at={link.nextStepAt ?? link.expiresAt} />,
        <span class="row">
          <button
            class="button"
            type="button"
            onClick={() =>
              open({ kind, id: link.uuid, webhookSubject: link.uuid, title: `Change ${what} ${link.uuid}` })
            }
          >
            Change<span class="hidden-text"> {`${what} ${link.uuid}`}</span>
          </button>
          <a
            class="button quiet icon-only"
            href={link.paymentUrl}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={`Open the page of ${what} ${link.uuid}, in a new tab`}
          >
            <Icon name="external" />
          </a>
        </span>,
      ]}
    />
  )
}
