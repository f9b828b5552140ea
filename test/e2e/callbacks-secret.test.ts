import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from 'payments-subgraph-sandbox'
import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { configFor, settingsFor } from '../support/app-settings.ts'
import { startCallbackRouter } from '../support/callback-router.ts'

const ROUTER_SECRET = 'secret-of-the-router-1'
const STREAM = 'subscription { paymentEventStream { kind } }'

// promise(authentication): HTTP callbacks go only to `CALLBACK_ORIGINS`, for requests with a router secret.
it('nobody has requests sent to a router without its secret, also where the configuration was put together by hand', async () => {
  const [sandbox, router] = [await startSandbox(), await startCallbackRouter()]
  const folder = mkdtempSync(join(tmpdir(), 'callbacks-'))
  const env = { CALLBACK_ORIGINS: router.origin, ROUTER_SECRETS: ROUTER_SECRET }
  const config = configFor(settingsFor({ folder, port: '0', sandbox, options: { env } }))
  const app = await createApp({ ...config, router: { kind: 'open' } }, { logger: createLogger({ level: 'silent' }) })
  try {
    const subscription = { callbackUrl: `${router.origin}/any/path`, subscriptionId: 'x', verifier: 'x' }
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json;callbackSpec=1.0',
        'x-router-secret': ROUTER_SECRET,
      },
      body: JSON.stringify({ query: STREAM, extensions: { subscription } }),
    })
    expect(response.status).toBe(401)
    expect(router.told).toEqual([])
  } finally {
    await app.close()
    await router.close()
    await sandbox.close()
    rmSync(folder, { recursive: true })
  }
})
