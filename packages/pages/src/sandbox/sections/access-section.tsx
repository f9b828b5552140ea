import { Code, Table, Value } from '../parts/small.tsx'
import { usePage } from '../state/page-context.ts'

/** The URL of the interface and its credentials. */
export function Access() {
  const { url, sites, webhookSecret } = usePage().facts.about
  return (
    <div class="stack-5">
      <p>No money moves here, and no data survives the end of the sandbox.</p>
      <Code label="Base URL" text={url} />
      {webhookSecret === null ? (
        <p>The secret of webhooks is the one that was configured; it is not shown.</p>
      ) : (
        <Code label="Webhook secret" text={webhookSecret} />
      )}
      <Table
        caption="Sites: one pair of credentials for each currency"
        head={['Currencies', ['app-id', 'wide'], ['secret-key', 'wide']]}
        rows={sites}
        keyOf={({ id }) => id}
        empty={null}
        cells={({ currencies, appId, secretKey }) => [
          currencies.join(', '),
          <Value text={appId} what={`app-id ${appId}`} />,
          secretKey === null ? 'as configured' : <Value text={secretKey} what={`secret-key of ${appId}`} />,
        ]}
      />
    </div>
  )
}

/** Names, amounts and texts that select an outcome, each with a button that copies it. */
export function Values() {
  const { magic, banks } = usePage().facts
  const { threeDs, payers, refunds } = magic
  const choices: readonly (readonly [effect: string, values: readonly string[]])[] = [
    [
      '3DS step of a card payment, by last name or amount',
      [threeDs.lastName, threeDs.amount, threeDs.zeroDecimalAmount],
    ],
    ['Payer who rejects an agreement, by name', [payers.reject]],
    ['Payer who never responds to an agreement, by name', [payers.wait]],
    ...refunds.map((text) => [`Refund that ends as ${text}, by description`, [text]] as const),
    ...magic.payouts.map(
      ({ effect, amount, zeroDecimalAmount }) =>
        [`Payout: ${effect}, by the amount of a transaction`, [amount, zeroDecimalAmount]] as const,
    ),
  ]
  return (
    <div class="stack-5">
      <Table
        caption="Magic values"
        head={[
          ['Effect', 'wide'],
          ['Values', 'wide'],
        ]}
        rows={choices}
        keyOf={([effect]) => effect}
        empty={null}
        cells={([effect, values]) => [
          effect,
          <span class="row wrap">
            {values.map((text) => (
              <Value key={text} text={text} />
            ))}
          </span>,
        ]}
      />
      <Table
        caption="Payment failures, by the payer’s last name or the amount"
        head={[['Last name, and code', 'wide'], 'Amount', 'Without decimals', ['Meaning', 'faint wide']]}
        rows={magic.failures}
        keyOf={({ code }) => code}
        empty={null}
        cells={({ lastName, amount, zeroDecimalAmount, message }) => [
          <Value text={lastName} />,
          <Value text={amount} />,
          <Value text={zeroDecimalAmount} />,
          message,
        ]}
      />
      <Table
        caption="Bank accounts for the QR code look-up"
        head={['Account', 'Bank', 'Name', ['VietQR payload', 'long wide']]}
        rows={banks}
        keyOf={({ accountNumber }) => accountNumber}
        empty={null}
        cells={({ accountNumber, bankName, accountName, qrContent }) => [
          <code>{accountNumber}</code>,
          bankName,
          accountName,
          <Value text={qrContent} what={`payload of ${accountNumber}`} />,
        ]}
      />
    </div>
  )
}
