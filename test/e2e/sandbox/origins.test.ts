import { request } from 'node:http'
import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { sandboxFor } from './support.ts'

type Ask = { method?: string; path?: string; host?: string; origin?: string }

/** Sends a request with any Host and Origin, as a browser does from a page of that name. Returns the status. */
async function statusOf(
  sandbox: Sandbox,
  { method = 'GET', path = '/sandbox/state', host, origin }: Ask,
): Promise<number | undefined> {
  const { port } = new URL(sandbox.origin)
  const headers = {
    'content-type': 'application/json',
    ...(host === undefined ? {} : { host: host.replace('PORT', port) }),
    ...(origin === undefined ? {} : { origin: origin.replace('PORT', port) }),
  }
  return new Promise((resolve, reject) => {
    const asked = request(`${sandbox.origin}${path}`, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.once('error', reject)
    asked.end(method === 'POST' ? '{"advanceSeconds":0}' : undefined)
  })
}

test.each<[host: string, status: number, options?: SandboxOptions]>([
  ['127.0.0.1:PORT', 200],
  ['127.8.8.8:PORT', 200],
  ['localhost:PORT', 200],
  ['LOCALHOST', 200],
  ['tests.localhost:PORT', 200],
  ['[::1]:PORT', 200],
  ['rebound.example.test:PORT', 403],
  ['127.0.0.1.example.test', 403],
  ['localhost.example.test', 403],
  ['192.0.2.7:PORT', 403],
  ['not a host', 403],
  ['sandbox:PORT', 403],
  ['sandbox:PORT', 200, { allowedHosts: ['Sandbox'] }],
  ['localhost:PORT', 200, { host: 'localhost' }],
])('a request to the host %j is answered %i', async (host, status, options) => {
  const sandbox = await sandboxFor(options)
  expect(await statusOf(sandbox, { host })).toBe(status)
  for (const path of ['/', '/api/v3/payin_methods', '/checkout/page.js', '/nothing'])
    expect(await statusOf(sandbox, { host, path })).toBe(status === 403 ? 403 : await statusOf(sandbox, { path }))
})

test.each([
  ['http://127.0.0.1:PORT', 200],
  ['http://127.0.0.1:1', 403],
  ['http://localhost:PORT', 403],
  ['https://shop.example.test', 403],
  ['null', 403],
  ['http://127.0.0.1:PORT/', 403],
])('a change that a page of %s asks for is answered %i', async (origin, status) => {
  const sandbox = await sandboxFor()
  expect(await statusOf(sandbox, { method: 'POST', path: '/sandbox/clock', origin })).toBe(status)
  expect(await statusOf(sandbox, { method: 'DELETE', path: '/sandbox/faults', origin })).toBe(
    status === 200 ? 204 : status,
  )
})
