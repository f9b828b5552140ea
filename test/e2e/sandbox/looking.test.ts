import type { Sandbox } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { call, control, createLink, press, sandboxFor, startReceiver } from './support.ts'

/** Opens the feed, and returns its events as they arrive. */
async function listen(sandbox: Sandbox): Promise<{ next(): Promise<string>; stop(): Promise<void>; status: number }> {
  const response = await fetch(`${sandbox.origin}/sandbox/changes`)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  return {
    status: response.status,
    next: async () => {
      // An event may arrive in several chunks.
      for (let text = ''; ;) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
        text += value ?? ''
        if (done || text.endsWith('\n\n')) return text
      }
    },
    stop: async () => reader?.cancel(),
  }
}

test('the feed tells of every kind of change, and many at once as one', async () => {
  const sandbox = await sandboxFor({ paceMs: 0 })
  const receiver = await startReceiver()
  const feed = await listen(sandbox)
  expect(await feed.next()).toMatch(/^retry: 1000\nid: 0\nevent: change\ndata: \{"version":0\}\n\n$/)
  const uuid = await createLink(sandbox, { webhook_notification: { endpoint_url: receiver.url } })
  expect(await feed.next()).toContain('event: change')
  await press(sandbox, uuid, 'pay')
  expect(await feed.next()).toContain('event: change')
  await sandbox.settle()
  const doings = [
    () => sandbox.control.setStatus(uuid, 'failed', { silent: true }),
    () => sandbox.control.advance(60),
    () => sandbox.control.resend('whk_1'),
    () => sandbox.control.addFault({ answer: 'hang', path: '/v9' }),
    () => sandbox.control.clearFaults(),
    () => call(sandbox, '/v3/payin_methods'),
  ]
  for (const doing of doings) {
    const before = sandbox.control.state().version
    await Promise.resolve(doing())
    const { version } = sandbox.control.state()
    expect(version).toBeGreaterThan(before)
    let told = -1
    while (told < version) told = Number(/^id: (\d+)/m.exec(await feed.next())?.[1])
  }
  await feed.stop()
})

test('the credentials are told only while they are those that every sandbox has', async () => {
  const fixed = await sandboxFor()
  const { json } = await control(fixed, '/about')
  expect(json).toMatchObject({ url: fixed.url, webhookSecret: fixed.webhookSecret })
  expect(fixed.control.about().sites[0]).toEqual(fixed.sites[0])
  const sites = [{ id: 'a', appId: 'app-a', secretKey: 'hidden-key', currencies: ['AUD'] }]
  const configured = await sandboxFor({ sites, webhookSecret: 'hidden-secret' })
  expect(configured.control.about()).toMatchObject({
    sites: [{ appId: 'app-a', secretKey: null }],
    webhookSecret: null,
  })
  expect(JSON.stringify(await control(configured, '/about'))).not.toContain('hidden')
})
