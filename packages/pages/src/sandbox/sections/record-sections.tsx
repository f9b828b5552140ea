import { answerText, attemptText, resend } from '../parts/attempts.ts'
import { Empty, Money, Status, Table, Time, Value } from '../parts/small.tsx'
import { usePage } from '../state/page-context.ts'

/** The payment agreements. */
export function Agreements() {
  const { snapshot, open } = usePage()
  return (
    <Table
      caption="Payment agreements, newest first"
      head={[
        ['Id', 'mono'],
        ['Limit', 'number lead'],
        ['Status', 'end lead'],
        'Merchant’s id',
        ['Next step', 'faint number drop'],
        ['Created', 'faint number end'],
        ['Actions', 'acts'],
      ]}
      rows={snapshot.state.agreements}
      keyOf={({ id }) => String(id)}
      empty={<Empty what="agreements" />}
      cells={(agreement) => [
        agreement.paymentAgreementId,
        agreement.limitAmount,
        <Status status={agreement.status} />,
        agreement.clientTransactionId,
        <Time at={agreement.nextStepAt} />,
        <Time at={agreement.createdAt} />,
        <button
          class="button"
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
          Change<span class="hidden-text"> {agreement.paymentAgreementId}</span>
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
        ['Id', 'mono drop'],
        ['Total', 'number lead'],
        ['Status', 'end lead'],
        ['Reference', 'cut'],
        ['Method', 'faint drop'],
        ['Transactions', 'drop'],
        ['Next step', 'faint number end'],
        ['Actions', 'acts'],
      ]}
      rows={snapshot.state.payouts}
      keyOf={({ uuid }) => uuid}
      empty={<Empty what="payouts" />}
      cells={(payout) => [
        payout.number === null ? payout.uuid : `${payout.uuid} (v1, number ${payout.number})`,
        <Money amount={payout.totalAmount} currency={payout.currency} />,
        <Status status={payout.status} detail={payout.errorCode} />,
        <b class="medium" title={payout.description}>
          {payout.externalId ?? payout.description}
        </b>,
        <code>{payout.methodCode}</code>,
        payout.transactions.map(({ amount, status }) => `${amount} ${status}`).join(', '),
        <Time at={payout.nextStepAt} />,
        <button
          class="button"
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
          Change<span class="hidden-text"> payout {payout.uuid}</span>
        </button>,
      ]}
    />
  )
}

/** The contacts, of whom only the address is shown. */
export function Contacts() {
  const { snapshot } = usePage()
  return (
    <Table
      caption="Contacts, newest first"
      head={[['E-mail', 'lead'], ['Site', 'end lead'], 'Identity checks', ['Created', 'faint number end']]}
      rows={snapshot.state.contacts}
      keyOf={({ siteId, email }) => `${siteId} ${email}`}
      empty={<Empty what="contacts" />}
      cells={({ siteId, email, checks, createdAt }) => [
        <Value text={email} />,
        siteId,
        checks.join(', '),
        <Time at={createdAt} />,
      ]}
    />
  )
}

/** The refunds and the simulated deposits. */
export function Deposits() {
  const { state } = usePage().snapshot
  const refunded = [...state.links, ...state.payins, ...state.gatewayPayments].filter(({ refund }) => refund !== null)
  return (
    <div class="stack-5">
      <Table
        caption="Refunds of the listed links, payins and gateway payments"
        head={[
          ['Payment', 'mono'],
          ['Status', 'end'],
          ['Requested', 'number'],
          ['Refunded', 'number end'],
        ]}
        rows={refunded}
        keyOf={({ uuid }) => uuid}
        empty={<p>No refunds yet. Request one with your application, or set a refund status of a payment.</p>}
        cells={({ uuid, status, refund, currency }) => [
          uuid,
          <Status status={status} />,
          <Money amount={refund?.requested ?? ''} currency={currency} />,
          <Money amount={refund?.refunded ?? ''} currency={currency} />,
        ]}
      />
      <Table
        caption="Deposits, newest first"
        head={['At', ['Site', 'end'], ['Amount', 'number']]}
        rows={state.deposits}
        keyOf={({ at, siteId }, index) => `${at} ${siteId} ${index}`}
        empty={<Empty what="deposits" />}
        cells={({ at, siteId, amount, currency }) => [
          <Time at={at} />,
          siteId,
          <Money amount={amount} currency={currency} />,
        ]}
      />
    </div>
  )
}

/** The webhooks that were sent. */
export function Webhooks() {
  const { snapshot, act, openWebhook } = usePage()
  return (
    <Table
      caption="Webhooks, newest first"
      head={[
        ['Id', 'mono drop'],
        ['Status sent', 'lead'],
        ['Outcome', 'end lead'],
        ['Subject', 'mono'],
        ['Kind', 'faint drop'],
        ['Last answer', 'end'],
        ['Next attempt', 'faint number drop'],
        ['Actions', 'acts'],
      ]}
      rows={snapshot.webhooks}
      keyOf={({ id }) => id}
      empty={
        <Empty what="webhooks">No webhooks yet. Each change of a status sends one, to the URL given at creation.</Empty>
      }
      cells={(webhook) => {
        const last = webhook.attempts.at(-1)
        return [
          webhook.id,
          <Status status={webhook.status} />,
          <Status status={webhook.outcome} />,
          webhook.subject,
          webhook.kind,
          <span title={webhook.attempts.map(attemptText).join('\n')}>
            {last === undefined ? '–' : answerText(last)}
            {webhook.attempts.length > 1 && <span class="faint"> ({webhook.attempts.length} attempts)</span>}
          </span>,
          <Time at={webhook.nextAttemptAt} />,
          <span class="row">
            <button class="button" type="button" onClick={() => openWebhook(webhook.id)}>
              Look<span class="hidden-text"> at webhook {webhook.id}</span>
            </button>
            <button class="button quiet" type="button" onClick={() => void resend(act, webhook.id)}>
              Resend<span class="hidden-text"> webhook {webhook.id}</span>
            </button>
          </span>,
        ]
      }}
    />
  )
}

/** The calls to the interface. */
export function Calls() {
  const { snapshot, facts } = usePage()
  return (
    <Table
      caption="API calls, newest first"
      head={[
        ['At', 'faint'],
        ['Method', 'end'],
        ['Path', 'cut'],
        ['Answer', 'end'],
        ['app-id', 'faint drop'],
      ]}
      rows={snapshot.calls}
      keyOf={({ at, path }, index) => `${at} ${path} ${index}`}
      empty={<Empty what="calls">No API calls yet. The base URL is {facts.about.url}.</Empty>}
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
