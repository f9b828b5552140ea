import { expect, test } from 'vitest'
import { control, createLink, sandboxFor, startReceiver } from './support.ts'
import type { Received } from './support.ts'

const MINUTE_S = 60

const sentTwice = (received: readonly Received[]): [unknown, unknown][] =>
  received.map(({ body, headers }) => [body.toString(), headers['http-webhook-signature']])

test('a webhook is sent again as another try of the same record, with the same bytes and signature', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const notification = { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-link' }
  await sandbox.control.setStatus(await createLink(sandbox, { webhook_notification: notification }), 'received')
  const [record] = sandbox.control.webhooks()

  const { status, json } = await control(sandbox, `/webhooks/${record?.id}/resend`, {})
  expect(status).toBe(200)
  expect(json).toMatchObject({ status: 200, resent: true, at: expect.any(String) as string })
  const [first, second] = sentTwice(receiver.received)
  expect(second).toEqual(first)
  expect(receiver.received[1]?.headers.authorization).toBe('Bearer of-this-link')
  expect(sandbox.control.webhooks()).toMatchObject([
    { outcome: 'delivered', signature: first?.[1], attempts: [{ status: 200 }, { status: 200, resent: true }] },
  ])
})

test('what arrives when it is sent again is not tried any more by itself', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  receiver.answer(503)
  const uuid = await createLink(sandbox, { webhook_notification: { endpoint_url: receiver.url }, expires_in: 36_000 })
  await sandbox.control.setStatus(uuid, 'pending')
  expect(await sandbox.control.resend('whk_1')).toMatchObject({ status: 503, resent: true })
  expect(sandbox.control.webhooks()[0]).toMatchObject({ outcome: 'retrying' })

  receiver.answer(200)
  expect(await sandbox.control.resend('whk_1')).toMatchObject({ status: 200 })
  expect(sandbox.control.webhooks()[0]).toMatchObject({ outcome: 'delivered', nextAttemptAt: null })
  await sandbox.control.advance(60 * MINUTE_S)
  expect(receiver.received).toHaveLength(3)
})

test('a try that somebody asked for is not one of the four of the payments API', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  receiver.answer(503)
  const uuid = await createLink(sandbox, { webhook_notification: { endpoint_url: receiver.url }, expires_in: 36_000 })
  await sandbox.control.setStatus(uuid, 'pending')
  await sandbox.control.resend('whk_1')
  await sandbox.control.advance(60 * MINUTE_S)
  expect(receiver.received).toHaveLength(5)
  expect(sandbox.control.webhooks()[0]?.outcome).toBe('given_up')
})

test('a webhook that nobody knows is not sent', async () => {
  const sandbox = await sandboxFor()
  expect((await control(sandbox, '/webhooks/whk_9/resend', {})).status).toBe(404)
  await expect(sandbox.control.resend('whk_9')).rejects.toThrow('no such webhook')
})
