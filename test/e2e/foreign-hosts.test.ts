import { request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { openRawPeer } from '../support/raw-websocket.ts'

const EVIL = 'rebound.example.test'

async function start(env: Record<string, string> = {}): Promise<Network> {
  const network = await startNetwork({ env })
  onTestFinished(() => network.close())
  return network
}

type Headers = Readonly<Record<string, string>>

const statusOf = (url: string, headers: Headers, method = 'GET') =>
  new Promise<number | undefined>((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => resolve(response.resume().statusCode))
    asked.once('error', reject)
    asked.end()
  })

const ROUTES = [
  ['GET', '/'],
  ['GET', '/console'],
  ['GET', '/shop'],
  ['GET', '/shop/catalogue'],
  ['POST', '/shop/orders'],
  ['POST', '/shop/faults'],
  ['GET', '/metrics'],
  ['GET', '/health/live'],
  ['GET', '/health/ready'],
  ['GET', '/graphql'],
  ['POST', '/graphql'],
  ['OPTIONS', '/graphql'],
  ['POST', '/graphql/stream'],
  ['POST', '/webhooks/payments'],
  ['POST', '/identity-checks'],
  ['GET', '/nothing'],
] as const

// promise(authentication): A development server and the admin port answer only under their own host names
// (`ALLOWED_HOSTS`), against DNS rebinding.
describe('a development server', () => {
  it('answers no request under a foreign name, on any route, from a page of that name neither', async () => {
    const { app, log } = await start()
    const { port } = new URL(app.url)
    const host = `${EVIL}:${port}`
    for (const [method, path] of ROUTES)
      for (const headers of [{ host }, { host, origin: `http://${host}` }])
        expect([path, await statusOf(`${app.url}${path}`, headers, method)]).toEqual([path, 403])
    for (const page of [[], [['Origin', `http://${host}`]] as const])
      await expect(openRawPeer(app.url, { headers: [['Host', host], ...page] })).rejects.toMatchObject({ status: 403 })
    const refusals = log()
      .split('\n')
      .filter((line) => line.includes('unknown host name'))
    expect(refusals).toEqual([expect.stringContaining('"setting":"ALLOWED_HOSTS"')])
  })

  it('is known by the names of this machine and of its settings, exactly', async () => {
    const { app } = await start({ PUBLIC_URL: 'https://pay.example.test', ALLOWED_HOSTS: 'node-1, Node-2, node-3.' })
    const known = [
      '',
      'localhost',
      'localhost.:4000',
      'app.localhost:1',
      '127.0.0.1',
      '[::1]:4000',
      'PAY.example.test:443',
      'node-2.:4000',
      'node-3',
    ]
    const foreign = [
      'node-10',
      '192.0.2.7',
      'localhost.example.test',
      `localhost@${EVIL}`,
      'pay.example.test.evil.test',
    ]
    for (const host of known) expect([host, await statusOf(`${app.url}/metrics`, { host })]).toEqual([host, 200])
    for (const host of foreign) expect([host, await statusOf(`${app.url}/metrics`, { host })]).toEqual([host, 403])
  })

  it('answers its own page behind a proxy that replaces the name', async () => {
    const { app } = await start({ PUBLIC_URL: 'https://pay.example.test' })
    const host = 'payments_backend'
    expect(await statusOf(`${app.url}/metrics`, { host, origin: 'https://pay.example.test' })).toBe(200)
    expect(await statusOf(`${app.url}/metrics`, { host, origin: 'https://evil.example.test' })).toBe(403)
  })
})

describe('in production', () => {
  it('the admin port answers under its own names alone, and the port of clients under every name', async () => {
    const { app } = await start({ ...PRODUCTION, ADMIN_PORT: '0', ALLOWED_HOSTS: 'node-1' })
    for (const [host, status] of [
      [EVIL, 403],
      ['node-1:9464', 200],
      ['127.0.0.1:9464', 200],
    ] as const)
      for (const path of ['/metrics', '/health/live'])
        expect([host, await statusOf(`${app.adminUrl}${path}`, { host })]).toEqual([host, status])
    expect(await statusOf(`${app.url}/health/live`, { host: EVIL })).toBe(200)
  })
})
