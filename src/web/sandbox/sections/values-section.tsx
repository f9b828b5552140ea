import { usePage } from '../page-context.ts'
import { Table } from '../parts/field-table.tsx'
import { Copy } from '../parts/small.tsx'

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
    ['Payer who never answers an agreement', `name ${payers.wait}`],
    ...refunds.map((text) => [`Refund that ends as ${text}`, `description ${text}`] as const),
    ...magic.payouts.map(
      ({ effect, amount, zeroDecimalAmount }) =>
        [`Payout: ${effect}`, `a transaction of ${amount}, or of ${zeroDecimalAmount} without decimals`] as const,
    ),
  ] as const
  return (
    <>
      <Table
        caption="What decides by itself"
        head={['Effect', 'Caused by']}
        rows={choices}
        keyOf={([effect]) => effect}
        empty={null}
        cells={([effect, cause]) => [effect, cause]}
      />
      <Table
        caption="Failures of payments: by the payer’s last name or the amount"
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
        caption="Bank accounts that the look-up of QR codes knows"
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
