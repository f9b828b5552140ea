import * as z from 'zod'
import { connectEmulator, connectGraph } from '../../examples/shop/server/emulator.ts'
import { TimerClock } from '../../packages/sandbox/src/state/clock.ts'
import { WebhookSender } from '../../packages/sandbox/src/state/webhook-sender.ts'
import { createBoundedFetch } from '../../src/access/remote-keys.ts'
import { createRouterClient } from '../../src/http/streams/router-client.ts'
import { createTracing } from '../../src/observability/tracing/tracing.ts'
import { DELIVERY } from '../../src/operator/documents.ts'
import { createClient } from '../../src/operator/operator-answers.ts'
import { createSites } from '../../src/upstream/client/sites.ts'
import { createTransport } from '../../src/upstream/client/transport.ts'
import { openPostgresStore } from '../support/store.ts'

/** Sends a request with each of our clients to a server with an untrusted certificate. Prints the outcomes. */
const [origin = '', database = ''] = process.argv.slice(2)
const sites = createSites([{ id: 'a', appId: 'app-a', secretKey: 'secret-of-a', currencies: ['AUD'] }])
const [site] = sites.all
if (site === undefined) throw new Error('There is no site.')

const CLIENTS: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Obeys the environment variable that disables verification: proves that it is set. */
  control: async () => (await fetch(`${origin}/control`)).status,
  payments: () =>
    createTransport({ baseUrl: `${origin}/api`, sites }).request(site, { method: 'GET', path: '/payments' }),
  async router() {
    const callback = { origin, path: '/router', id: '1', verifier: 'v', heartbeatMs: 0 }
    return createRouterClient([origin]).send(callback, { action: 'check' })
  },
  async keys() {
    const init = {
      headers: new Headers(),
      method: 'GET',
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
    } as const
    return (await createBoundedFetch(1_000)(`${origin}/keys`, init)).status
  },
  operator: () =>
    createClient({ url: `${origin}/operator`, token: 't' })(DELIVERY, { variables: {}, shape: z.unknown() }),
  shop: () =>
    connectGraph({ graphqlUrl: () => `${origin}/shop`, issueToken: async () => 't' })('{ a }', {}, z.unknown()),
  emulator: async () => {
    if (!(await connectEmulator(origin).isThere())) throw new Error('It is not there.')
  },
  async webhook() {
    const webhook = {
      subject: 's',
      kind: 'transition',
      status: 'received',
      url: `${origin}/webhook`,
      body: '{}',
    } as const
    const sender = new WebhookSender({ clock: new TimerClock() })
    const { status, error } = await sender.send({ ...webhook, authorization: undefined, signature: undefined })
    if (status === undefined) throw new Error(error)
  },
  async traces() {
    const tracing = createTracing({ endpoint: origin })
    tracing.begin('one').end()
    await tracing.close()
    // A failed export is not reported.
    throw new Error('It tells nobody.')
  },
  required: () => openPostgresStore({ url: `${database}?sslmode=require` }),
  verified: () => openPostgresStore({ url: `${database}?sslmode=verify-full` }),
}

const outcomes: Record<string, 'answered' | 'failed'> = {}
for (const [name, run] of Object.entries(CLIENTS))
  outcomes[name] = await run().then(
    (answer) => (answer === 'failed' ? 'failed' : 'answered'),
    () => 'failed',
  )
process.stdout.write(JSON.stringify(outcomes))
process.exit(0)
