import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startJwksServer } from '../e2e/access/jwks-server.ts'
import { itemOf, openEvents } from '../support/events.ts'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import { CLAIMS, issuerKey, rsToken } from '../unit/access/tokens.ts'

const STREAM = 'subscription { paymentEventStream { kind } }'

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

it('SIGUSR2 ends the streams of a withdrawn key, and not the process', async () => {
  const [old, current] = [issuerKey('key-1'), issuerKey('key-2')]
  const issuer = await startJwksServer()
  issuer.publish(old.jwk)
  try {
    const app = await startReady({
      env: { ...settingsFor(sandbox, temporaryFolder()), JWT_SECRETS: '', JWT_JWKS_URL: issuer.url },
    })
    const headers = { authorization: `Bearer ${rsToken(old, { ...CLAIMS, scope: 'payments:read' })}` }
    const stream = await openEvents(app.url, { operation: { query: STREAM }, headers })
    expect(itemOf(await stream.next()).kind).toBeDefined()
    issuer.publish(current.jwk)
    app.child.kill('SIGUSR2')
    const last = (await stream.rest()).at(-1)
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    app.child.kill('SIGTERM')
    expect(await app.ended).toMatchObject({ code: 0 })
  } finally {
    await issuer.close()
  }
})
