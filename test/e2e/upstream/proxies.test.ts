import { once } from 'node:events'
import { createServer as createProxy } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { createBoundedFetch } from '../../../src/access/remote-keys.ts'
import { NO_PROXIES } from '../../../src/lib/outbound-agent.ts'
import { createTracing } from '../../../src/observability/tracing/tracing.ts'
import { createAuthority } from './certificate.ts'
import { faultOf, open, site } from './open.ts'

/** No resolver knows it: only a proxy leads there. */
const HOST = 'payments.test'
const authority = createAuthority()

beforeAll(() => {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, authority.cert])
  return () => setDefaultCACertificates(before)
})

/** Starts a service for https, and a proxy that leads to it by CONNECT, or refuses with `status`. */
async function startProxy(status = 200) {
  const asked: string[] = []
  const tomorrow = new Date(Date.now() + 86_400_000)
  const service = createServer(authority.issue(HOST, tomorrow), (request, response) => {
    asked.push(`${request.headers.host} ${request.url}`)
    response.end('{"keys":[]}')
  })
  const proxy = createProxy((request, response) => {
    asked.push(`PLAIN ${request.url}`)
    response.end('{}')
  })
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      return
    }
    const onward = connect((service.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  for (const server of [service, proxy]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
  }
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return { asked, address, proxies: { ...NO_PROXIES, https: `http://user:pass@${address}` } }
}

const post = { method: 'POST', path: '/x', body: {} } as const

it('leads to the payments API, to the issuer of tokens and to the collector of traces', async () => {
  const { asked, address, proxies } = await startProxy()
  const through = `CONNECT ${HOST}:443 Basic ${Buffer.from('user:pass').toString('base64')}`
  await open(`https://${HOST}/api`, { proxies }).request(site(), post)
  expect(asked.splice(0)).toEqual([through, `${HOST} /api/x`])
  const init = {
    headers: new Headers(),
    method: 'GET',
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
  } as const
  expect((await createBoundedFetch(1_000, proxies)(`https://${HOST}/keys`, init)).status).toBe(200)
  expect(asked.splice(0)).toEqual([through, `${HOST} /keys`])
  const tracing = createTracing(
    { endpoint: 'http://collector.test:4318' },
    { ...NO_PROXIES, http: `http://${address}` },
  )
  tracing.begin('a span').end()
  await tracing.close()
  expect(asked).toEqual(['PLAIN http://collector.test:4318/v1/traces'])
})

it.each([HOST, `.${HOST}`, `${HOST}:443`, '*'])('does not lead to a host that NO_PROXY names as %s', async (none) => {
  const { asked, proxies } = await startProxy()
  const fault = await faultOf(open(`https://${HOST}/api`, { proxies: { ...proxies, none } }).request(site(), post))
  expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'dns' })
  expect(asked).toEqual([])
})

it.each([403, 407, 502])('that refuses with %i means that nothing was sent', async (status) => {
  const { proxies } = await startProxy(status)
  const fault = await faultOf(open(`https://${HOST}/api`, { proxies }).request(site(), post))
  expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'unreachable' })
})

it('means that nothing was sent where there is none, and where it leads to somebody else', async () => {
  const nowhere = { ...NO_PROXIES, https: 'http://127.0.0.1:9' }
  const refused = await faultOf(open(`https://${HOST}/api`, { proxies: nowhere }).request(site(), post))
  expect(refused.detail).toEqual({ kind: 'not-sent', reason: 'refused' })
  const { proxies } = await startProxy()
  const fault = await faultOf(open('https://other.test/api', { proxies }).request(site(), post))
  expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'tls' })
})
