import { once } from 'node:events'
import { createServer } from 'node:https'
import { type AddressInfo, connect, createServer as createGate, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Certificate, createAuthority } from './certificate.ts'
import { faultOf, open, site } from './open.ts'

const trusted = createAuthority()
const tomorrow = new Date(Date.now() + 86_400_000)
const yesterday = new Date(Date.now() - 86_400_000)

beforeAll(() => {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, trusted.cert])
  return () => setDefaultCACertificates(before)
})

async function serveSecurely(certificate: Certificate) {
  let asked = 0
  const server = createServer(certificate, (_request, response) => {
    asked += 1
    response.end('{"ok":true}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: `https://127.0.0.1:${port}/api`, port, server, asked: () => asked }
}

it('speaks to a service whose certificate is in order', async () => {
  const { baseUrl, asked } = await serveSecurely(trusted.issue('127.0.0.1', tomorrow))
  expect((await open(baseUrl).request(site(), { method: 'POST', path: '/', body: {} })).json).toEqual({ ok: true })
  expect(asked()).toBe(1)
})

it.each<[string, Certificate]>([
  ['of an authority that nobody trusts', createAuthority().issue('127.0.0.1', tomorrow)],
  ['that has expired', trusted.issue('127.0.0.1', yesterday)],
  ['for another host', trusted.issue('payments.test', tomorrow)],
])('sends nothing where the certificate is one %s', async (_name, certificate) => {
  const { baseUrl, asked } = await serveSecurely(certificate)
  const fault = await faultOf(open(baseUrl).request(site(), { method: 'POST', path: '/', body: {} }))
  expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'tls' })
  expect(asked()).toBe(0)
})

it('sends nothing over a connection that stands only after the deadline', async () => {
  const { port, server, asked } = await serveSecurely(trusted.issue('127.0.0.1', tomorrow))
  const held: Socket[] = []
  const gate = createGate((socket) => held.push(socket))
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  onTestFinished(() => void gate.close())
  const transport = open(`https://127.0.0.1:${(gate.address() as AddressInfo).port}/api`, { deadlines: { post: 100 } })
  const fault = await faultOf(transport.request(site(), { method: 'POST', path: '/', body: {} }))
  expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'connect-timeout' })
  const arriving = once(server, 'connection') as Promise<[Socket]>
  for (const socket of held) {
    const onward = connect(port, '127.0.0.1')
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
    socket.pipe(onward).pipe(socket)
  }
  const [connection] = await arriving
  await new Promise((resolve) => connection.on('close', resolve))
  expect(asked()).toBe(0)
})
