import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { create, payoutBody } from './bodies.ts'
import { call, sandboxFor, startReceiver } from './support.ts'
import type { Receiver } from './support.ts'

type Json = Record<string, unknown>
type Begun = { sandbox: Sandbox; receiver: Receiver; json: Json; uuid: string }

const START = new Date('2026-03-01T10:00:00Z')
/** Milliseconds; longer than a slow machine takes between two calls, because the sandbox's clock also runs in real time. */
const PACE_MS = 60_000

async function begin(over: Json = {}, options: SandboxOptions = {}): Promise<Begun> {
  const sandbox = await sandboxFor({ startAt: START, paceMs: PACE_MS, ...options })
  const receiver = await startReceiver()
  const webhook_notification = { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-batch' }
  const json = await create(sandbox, '/v2/payouts', payoutBody({ webhook_notification, ...over }))
  return { sandbox, receiver, json, uuid: String(json['uuid']) }
}

const cancel = ({ sandbox, uuid }: Begun, site = 'php'): Promise<{ status: number; text: string; json: Json }> =>
  call(sandbox, '/v2/payouts/cancel_scheduled', { site, body: { uuid } })

test('a batch that is unknown, or of another site, is not found', async () => {
  const begun = await begin({ scheduled_at: '2026-03-02T10:00:00' })
  expect((await cancel({ ...begun, uuid: 'NOTHING1' })).status).toBe(404)
  expect((await cancel({ ...begun, uuid: '' })).status).toBe(422)
  const foreign = await cancel(begun, 'aud')
  expect(foreign).toMatchObject({ status: 404, json: { errors: { message: expect.any(String) as string } } })
  expect((await call(begun.sandbox, `/v2/payouts/detail?uuid=${begun.uuid}`)).status).toBe(422)
})
