import { randomUUID } from 'node:crypto'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { SECRETS } from '../support/network.ts'
import { CREATE_LINK, linkInput, type CreateLinkResult } from '../support/operations.ts'
import { canMakeServer, createOwnServer } from '../support/postgres-server.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import { halfSentWebhook, silentConnection, silentUpgrade } from './drain-peers.ts'
import { ask } from './process-client.ts'

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

// promise(process): On SIGTERM the outcome of an unanswered command is recorded as unknown; the process ends also while
// the database hangs.
it('ends with 0 in time although everybody is slow, and forgets no command that nobody answered', async () => {
  const env = settingsFor(sandbox, temporaryFolder())
  const app = await startReady({ env })
  const input = linkInput()
  // The methods are requested once before, so that only the link itself is slow.
  await ask(app.url, CREATE_LINK, { input: linkInput() })
  sandbox.control.addFault({ method: 'POST', path: '/v3/payin_links', answer: { delayMs: 20_000 } })
  const calls = sandbox.control.calls().length
  const slow = ask<{ createPaymentLink: CreateLinkResult }>(app.url, CREATE_LINK, { input })
  await expect.poll(() => sandbox.control.calls().length).toBe(calls + 1)
  await silentConnection(app.url)
  await silentUpgrade(app.url)
  const webhook = await halfSentWebhook(app.url, randomUUID())

  app.child.kill('SIGTERM')
  // After 14 seconds a process ends with 1.
  expect(await app.ended).toMatchObject({ code: 0, signal: null })
  // The payments API sends a webhook again that is cut.
  await expect(webhook.answered).rejects.toThrow('socket hang up')
  expect((await slow).data.createPaymentLink.__typename).toBe('PaymentsOutcomeUnknownError')

  const again = await startReady({ env })
  const answer = await ask<{ createPaymentLink: CreateLinkResult }>(again.url, CREATE_LINK, { input })
  // The same key does not call the payments API a second time: the outcome stays unknown for now.
  expect(answer.data.createPaymentLink.__typename).toBe('PaymentsOutcomeUnknownError')
  const posts = sandbox.control
    .calls()
    .slice(calls)
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/v3/payin_links'))
  expect(posts).toHaveLength(1)
})

it.skipIf(!canMakeServer())(
  'ends with 0 although the database does not answer while a command is under way',
  async () => {
    const own = await createOwnServer()
    onTestFinished(() => own.remove())
    const { url } = await own.createDatabase()
    const app = await startReady({ env: { ...settingsFor(sandbox, temporaryFolder()), DATABASE_URL: url } })
    await ask(app.url, CREATE_LINK, { input: linkInput() })
    sandbox.control.addFault({ method: 'POST', path: '/v3/payin_links', answer: { delayMs: 20_000 } })
    const calls = sandbox.control.calls().length
    // How it is answered depends on which deadline comes first.
    const slow = ask(app.url, CREATE_LINK, { input: linkInput() }).catch(() => null)
    await expect.poll(() => sandbox.control.calls().length).toBe(calls + 1)
    own.pause()

    app.child.kill('SIGTERM')
    expect(await app.ended).toMatchObject({ code: 0, signal: null })
    await slow
  },
)
