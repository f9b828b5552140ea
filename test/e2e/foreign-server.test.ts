import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startNetwork } from '../support/network.ts'

it('another server of node:http passes requests to the app, which answers them as its own', async () => {
  const { app, close } = await startNetwork()
  const server = createServer((request, response) => {
    if (request.url === '/own') response.end('own')
    else app.handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  })
  expect([answer.headers.get('x-content-type-options'), await answer.json()]).toEqual([
    'nosniff',
    { data: { __typename: 'Query' } },
  ])
  expect((await fetch(`${url}/nowhere`)).status).toBe(404)
  expect(await (await fetch(`${url}/own`)).text()).toBe('own')
})
