import { exampleOf } from '../examples.ts'
import { usePage } from '../page-context.ts'
import { Table } from '../parts/field-table.tsx'
import { Code, Copy } from '../parts/small.tsx'

/** The URL of the interface and its credentials. */
export function Access() {
  const { about } = usePage().facts
  const { url, sites, webhookSecret } = about
  return (
    <>
      <p>No money moves here, and nothing is kept when the sandbox ends.</p>
      <Code label="Base address" text={url} />
      {webhookSecret === null ? (
        <p>The secret of webhooks is the one that was configured; it is not shown.</p>
      ) : (
        <Code label="Secret of webhooks" text={webhookSecret} />
      )}
      <Table
        caption="Sites: a pair of credentials each, which fixes the currency"
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
      <Code label="A first call" text={exampleOf(about, 'links')} />
    </>
  )
}
