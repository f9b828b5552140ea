import { usePage } from '../page-context.ts'
import { Table, Begin, Status, Time } from '../parts/small.tsx'
import { attemptText, resend } from '../webhook-dialog.tsx'

/** The payment agreements. */
export function Agreements() {
  const { snapshot, open } = usePage()
  return (
    <Table
      caption="Payment agreements, newest first"
      head={['Id', 'Merchant’s id', 'Limit', 'Status', 'Next step', 'Created', 'Actions']}
      rows={snapshot.state.agreements}
      keyOf={({ id }) => String(id)}
      empty={<Begin what="agreements" example="agreements" />}
      cells={(agreement) => [
        <code>{agreement.paymentAgreementId}</code>,
        agreement.clientTransactionId,
        agreement.limitAmount,
        <Status status={agreement.status} />,
        <Time at={agreement.nextStepAt} />,
        <Time at={agreement.createdAt} />,
        <button
          type="button"
          onClick={() =>
            open({
              kind: 'agreements',
              id: String(agreement.id),
              webhookSubject: agreement.paymentAgreementId,
              title: `Change ${agreement.paymentAgreementId}`,
            })
          }
        >
          Change<span class="visually-hidden"> {agreement.paymentAgreementId}</span>
        </button>,
      ]}
    />
  )
}

/** The payouts. */
export function Payouts() {
  const { snapshot, open } = usePage()
  return (
    <Table
      caption="Payouts, newest first"
      head={[
        'Id',
        'Reference',
        'Description',
        'Total',
        'Method',
        'Status',
        'Transactions',
        'Next step',
        'Created',
        'Actions',
      ]}
      rows={snapshot.state.payouts}
      keyOf={({ uuid }) => uuid}
      empty={<Begin what="payouts" example="payouts" />}
      cells={(payout) => [
        <>
          <code>{payout.uuid}</code>
          {payout.number !== null && ` (v1, number ${payout.number})`}
        </>,
        payout.externalId,
        payout.description,
        `${payout.totalAmount} ${payout.currency}`,
        payout.methodCode,
        <Status status={payout.status} detail={payout.errorCode} />,
        <ul class="plain">
          {payout.transactions.map(({ uuid, amount, status }) => (
            <li key={uuid}>
              {amount}: <Status status={status} />
            </li>
          ))}
        </ul>,
        <Time at={payout.nextStepAt} />,
        <Time at={payout.createdAt} />,
        <button
          type="button"
          onClick={() =>
            open({
              kind: 'payouts',
              id: payout.uuid,
              webhookSubject: payout.uuid,
              title: `Change payout ${payout.uuid}`,
            })
          }
        >
          Change<span class="visually-hidden"> payout {payout.uuid}</span>
        </button>,
      ]}
    />
  )
}

/** The refunds and the simulated deposits. */
export function Deposits() {
  const { state } = usePage().snapshot
  const refunded = [...state.links, ...state.payins, ...state.gatewayPayments].filter(({ refund }) => refund !== null)
  return (
    <>
      <Table
        caption="Refunds of the listed links, payins and gateway payments"
        head={['Payment', 'Status', 'Requested', 'Refunded']}
        rows={refunded}
        keyOf={({ uuid }) => uuid}
        empty={<p>No refunds yet. Request one with your application, or set a refund status of a payment.</p>}
        cells={({ uuid, status, refund, currency }) => [
          <code>{uuid}</code>,
          <Status status={status} />,
          `${refund?.requested} ${currency}`,
          `${refund?.refunded} ${currency}`,
        ]}
      />
      <Table
        caption="Deposits, newest first"
        head={['At', 'Site', 'Amount']}
        rows={state.deposits}
        keyOf={({ at, siteId }, index) => `${at} ${siteId} ${index}`}
        empty={<Begin what="deposits" example="deposits" />}
        cells={({ at, siteId, amount, currency }) => [<Time at={at} />, siteId, `${amount} ${currency}`]}
      />
    </>
  )
}

/** The webhooks that were sent. */
export function Webhooks() {
  const { snapshot, query, act, openWebhook } = usePage()
  return (
    <Table
      caption="Webhooks, newest first"
      head={['Id', 'Subject', 'Kind', 'Status sent', 'Outcome', 'Answers', 'Next attempt', 'Actions']}
      rows={snapshot.webhooks}
      keyOf={({ id }) => id}
      empty={
        <p>
          {query.search === ''
            ? 'No webhooks yet. Each change of a status sends one, to the URL given at creation.'
            : `No webhooks with “${query.search}” in it.`}
        </p>
      }
      cells={(webhook) => [
        <code>{webhook.id}</code>,
        <code>{webhook.subject}</code>,
        webhook.kind,
        webhook.status,
        <Status status={webhook.outcome} />,
        <ol class="plain">
          {webhook.attempts.map((attempt, index) => (
            <li key={index}>{attemptText(attempt)}</li>
          ))}
        </ol>,
        <Time at={webhook.nextAttemptAt} />,
        <div class="actions">
          <button type="button" onClick={() => openWebhook(webhook.id)}>
            Look<span class="visually-hidden"> at webhook {webhook.id}</span>
          </button>
          <button type="button" onClick={() => void resend(act, webhook.id)}>
            Resend<span class="visually-hidden"> webhook {webhook.id}</span>
          </button>
        </div>,
      ]}
    />
  )
}

/** The calls to the interface. */
export function Calls() {
  const { snapshot, facts, query } = usePage()
  return (
    <Table
      caption="API calls, newest first"
      head={['At', 'Method', 'Path', 'Answer', 'app-id']}
      rows={snapshot.calls}
      keyOf={({ at, path }, index) => `${at} ${path} ${index}`}
      empty={
        <p>
          {query.search === ''
            ? `No API calls yet. The base URL is ${facts.about.url}.`
            : `No calls with “${query.search}” in it.`}
        </p>
      }
      cells={({ at, method, path, status, fault, appId }) => [
        <Time at={at} />,
        method,
        <code>{path}</code>,
        `${status ?? 'none'}${fault ? ', by a fault' : ''}`,
        appId,
      ]}
    />
  )
}
