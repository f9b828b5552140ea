import { request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'

const TOKEN = 'metrics-token-of-the-tests-0123456789'

async function start(env: Record<string, string>): Promise<Network> {
  const network = await startNetwork({ env })
  onTestFinished(() => network.close())
  return network
}

const statusOf = async (url: string, authorization?: string) =>
  (await fetch(url, authorization === undefined ? {} : { headers: { authorization } })).status

// promise(authentication): In production metrics need the admin port or `METRICS_TOKEN`.
describe('metrics in production', () => {
  it('are read on the admin port, and not on the port of clients', async () => {
    const { app } = await start({ ...PRODUCTION, ADMIN_PORT: '0' })
    expect(await statusOf(`${app.url}/metrics`)).toBe(404)
    const metrics = await fetch(`${app.adminUrl}/metrics`)
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')])
    expect(await metrics.text()).toContain('payments_upstream_breaker_open')
  })

  it('have probes beside them, and nothing that is for clients', async () => {
    const { app } = await start({ ...PRODUCTION, ADMIN_PORT: '0' })
    expect(new URL(app.adminUrl ?? '').hostname).toBe('127.0.0.1')
    for (const url of [app.url, app.adminUrl])
      for (const probe of ['live', 'ready']) expect(await statusOf(`${url}/health/${probe}`)).toBe(200)
    for (const path of ['/graphql', '/console', '/webhooks/payments'])
      expect(await statusOf(`${app.adminUrl}${path}`)).toBe(404)
  })

  it('are nowhere when the admin port is off', async () => {
    const { app } = await start(PRODUCTION)
    expect(app.adminUrl).toBeNull()
    expect(await statusOf(`${app.url}/metrics`)).toBe(404)
    expect(await statusOf(`${app.url}/health/ready`)).toBe(200)
  })

  it('are read on the port of clients by who shows the token', async () => {
    const { app, token } = await start({ ...PRODUCTION, METRICS_TOKEN: TOKEN })
    const url = `${app.url}/metrics`
    expect(await statusOf(url, `Bearer ${TOKEN}`)).toBe(200)
    const wrong = [undefined, `Bearer ${TOKEN}0`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, TOKEN, 'Bearer', '']
    for (const authorization of [...wrong, `Bearer ${await token()}`])
      expect(await statusOf(url, authorization)).toBe(401)
    expect(await statusOf(`${url}?token=${TOKEN}`)).toBe(401)
    const refused = await fetch(url)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(await refused.text()).not.toContain('payments_')
  })

  it('are limited in how often one address may guess it', async () => {
    const { app } = await start({ ...PRODUCTION, METRICS_TOKEN: TOKEN, MAX_FAILED_AUTHENTICATIONS: '2' })
    const url = `${app.url}/metrics`
    for (let turn = 0; turn < 4; turn += 1) expect(await statusOf(url)).toBe(401)
    const guesses: number[] = []
    for (let turn = 0; turn < 4; turn += 1) guesses.push(await statusOf(url, 'Bearer of-somebody-else'))
    expect(guesses).toEqual([401, 401, 401, 429])
    expect(await statusOf(url, `Bearer ${TOKEN}`)).toBe(200)
  })
})

describe('metrics in development', () => {
  it('are open, and have no port of their own', async () => {
    const { app } = await start({})
    expect(app.adminUrl).toBeNull()
    expect(await statusOf(`${app.url}/metrics`)).toBe(200)
  })

  it('have a port of their own where one is set, and ask for a token where one is set', async () => {
    const { app } = await start({ ADMIN_PORT: '0', METRICS_TOKEN: TOKEN })
    expect(await statusOf(`${app.adminUrl}/metrics`)).toBe(200)
    expect(await statusOf(`${app.url}/metrics`)).toBe(401)
  })
})

describe('the admin port in a drain', () => {
  it('tells of it until clients have their answers, and is closed after that', async () => {
    const { app, stop } = await start({ ...PRODUCTION, ADMIN_PORT: '0' })
    const late = request(`${app.url}/webhooks/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '2', expect: '100-continue' },
    })
    const answered = new Promise<number | undefined>((resolve, reject) =>
      late.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject),
    )
    // The server has accepted the request and waits for its body.
    await new Promise((resolve) => late.flushHeaders() ?? late.once('continue', resolve))
    const stopped = stop()
    const probe = await fetch(`${app.adminUrl}/health/ready`)
    expect([probe.status, await probe.json()]).toEqual([503, { status: 'draining' }])
    expect(await statusOf(`${app.adminUrl}/health/live`)).toBe(200)
    expect(await statusOf(`${app.adminUrl}/metrics`)).toBe(200)
    late.end('{}')
    expect(await answered).toBe(401)
    await stopped
    await expect(fetch(`${app.adminUrl}/health/live`)).rejects.toThrow('fetch failed')
  })
})
