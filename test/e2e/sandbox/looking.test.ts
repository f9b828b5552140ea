import type { Sandbox } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { call, control, createLink, linkBody, press, sandboxFor, startReceiver } from './support.ts'

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

test('the feed ends with the sandbox, and takes only so many listeners', async () => {
  const sandbox = await sandboxFor()
  const feeds = await Promise.all(Array.from({ length: 64 }, () => listen(sandbox)))
  expect(new Set(feeds.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await fetch(`${sandbox.origin}/sandbox/changes`)).status).toBe(503)
  await feeds.pop()?.stop()
  await expect
    .poll(async () => {
      const feed = await listen(sandbox)
      await feed.stop()
      return feed.status
    })
    .toBe(200)
  await sandbox.close()
  await expect(
    Promise.all(
      feeds.map(async (feed) => {
        await feed.next()
        return feed.next()
      }),
    ),
  ).resolves.toEqual(feeds.map(() => ''))
})

test('lists give the newest first when they are asked for a part, and find by what they show', async () => {
  const sandbox = await sandboxFor()
  const [first, second, third] = [
    await createLink(sandbox, { meta_data: { external_id: 'Order-1' } }),
    await createLink(sandbox, { meta_data: { external_id: 'Order-2' } }),
    await createLink(sandbox),
  ]
  const linksOf = async (query: string) => {
    const { json } = await control(sandbox, `/state${query}`)
    return (json['links'] as { uuid: string }[]).map(({ uuid }) => uuid)
  }
  expect(await linksOf('')).toEqual([first, second, third])
  expect(await linksOf('?limit=2')).toEqual([third, second])
  expect(await linksOf('?search=order-')).toEqual([second, first])
  expect(await linksOf(`?limit=1&search=${first}`)).toEqual([first])
  expect((await control(sandbox, '/state?limit=0')).status).toBe(422)
  expect(sandbox.control.state({ limit: 1 }).counters.links).toBe(3)

  await sandbox.control.setStatus(third, 'partially_refunded', { refundAmount: '25.5' })
  await sandbox.control.setStatus(second, 'failed', { errorCode: 'card_lost' })
  expect(sandbox.control.state({ limit: 2 }).links).toMatchObject([
    { externalId: null, errorCode: null, refund: { requested: '25.5', refunded: '25.5' } },
    { externalId: 'Order-2', errorCode: 'card_lost', refund: null },
  ])
})

test('calls tell how they were answered', async () => {
  const sandbox = await sandboxFor()
  await createLink(sandbox)
  await call(sandbox, '/v3/payin_links/NOTHING1')
  sandbox.control.addFault({ answer: 'drop-after', times: 2 })
  expect(sandbox.control.faults()).toEqual([{ method: null, path: null, left: 2, answer: 'drop-after' }])
  await expect(call(sandbox, '/v3/payin_links', { body: linkBody() })).rejects.toThrow('fetch failed')
  expect((await control(sandbox, '/faults')).json).toEqual({
    records: [{ method: null, path: null, left: 1, answer: 'drop-after' }],
  })
  sandbox.control.clearFaults()
  await expect
    .poll(async () => (await control(sandbox, '/calls?limit=3')).json['records'])
    .toMatchObject([
      { method: 'POST', status: null, fault: true },
      { method: 'GET', status: 404, fault: false },
      { method: 'POST', status: 200, fault: false },
    ])
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
