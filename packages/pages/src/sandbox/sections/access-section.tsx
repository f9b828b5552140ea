import { exampleOf } from '../examples.ts'
import { usePage } from '../page-context.ts'
import { Table, Code, Copy } from '../parts/small.tsx'

/** The URL of the interface and its credentials. */
export function Access() {
  const { about } = usePage().facts
  const { url, sites, webhookSecret } = about
  return (
    <>
      <p>No money moves here, and no data survives the end of the sandbox.</p>
      <Code label="Base URL" text={url} />
      {webhookSecret === null ? (
        <p>The secret of webhooks is the one that was configured; it is not shown.</p>
      ) : (
        <Code label="Webhook secret" text={webhookSecret} />
      )}
      <Table
        caption="Sites: one pair of credentials for each currency"
        head={['Currencies', 'app-id', 'secret-key']}
        rows={sites}
        keyOf={({ id }) => id}
        empty={null}
        cells={({ currencies, appId, secretKey }) => [
          currencies.join(', '),
          <>
            <code>{appId}</code> <Copy text={appId} what={`app-id ${appId}`} />
          </>,
          secretKey === null ? (
            'as configured'
          ) : (
            <>
              <code>{secretKey}</code> <Copy text={secretKey} what={`secret-key of ${appId}`} />
            </>
          ),
        ]}
      />
      <Code label="Example call" text={exampleOf(about, 'links')} />
    </>
  )
}

/** Names, amounts and texts that select an outcome. */
export function Values() {
  const { magic, banks } = usePage().facts
  const { threeDs, payers, refunds } = magic
  const choices = [
    [
      '3DS step of a card payment',
      `last name ${threeDs.lastName}, or an amount of ${threeDs.amount} or ${threeDs.zeroDecimalAmount}`,
    ],
    ['Payer who rejects an agreement', `name ${payers.reject}`],
    ['Payer who never responds to an agreement', `name ${payers.wait}`],
    ...refunds.map((text) => [`Refund that ends as ${text}`, `description ${text}`] as const),
    ...magic.payouts.map(
      ({ effect, amount, zeroDecimalAmount }) =>
        [`Payout: ${effect}`, `a transaction of ${amount}, or of ${zeroDecimalAmount} without decimals`] as const,
    ),
  ] as const
  return (
    <>
      <Table
        caption="Magic values"
        head={['Effect', 'Value']}
        rows={choices}
        keyOf={([effect]) => effect}
        empty={null}
        cells={([effect, cause]) => [effect, cause]}
      />
      <Table
        caption="Payment failures, by the payer’s last name or the amount"
        head={['Code', 'Last name', 'Amount', 'Without decimals', 'Meaning']}
        rows={magic.failures}
        keyOf={({ code }) => code}
        empty={null}
        cells={({ code, lastName, amount, zeroDecimalAmount, message }) => [
          <code>{code}</code>,
          <code>{lastName}</code>,
          amount,
          zeroDecimalAmount,
          message,
        ]}
      />
      <Table
        caption="Bank accounts for the QR code look-up"
        head={['Account', 'Bank', 'Name', 'VietQR payload']}
        rows={banks}
        keyOf={({ accountNumber }) => accountNumber}
        empty={null}
        cells={({ accountNumber, bankName, accountName, qrContent }) => [
          <code>{accountNumber}</code>,
          bankName,
          accountName,
          <>
            <code class="long">{qrContent}</code> <Copy text={qrContent} what={`payload of ${accountNumber}`} />
          </>,
        ]}
      />
    </>
  )
}
