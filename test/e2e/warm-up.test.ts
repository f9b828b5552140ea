import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WARM_UP_OPERATIONS } from '../../src/graphql/warm-up.ts'
import { startNetwork, type Network } from '../support/network.ts'

/** Enough time for the whole warm-up on any machine. */
const WARM = { WARM_UP_MS: '60000' }
/** Diagnostics channel of Node: a message for each request that a server of this process begins to handle. */
const REQUESTS = 'http.server.request.start'

it('answers operations to itself before it is ready, and leaves no trace of them', async () => {
  let requests = 0
  const count = () => (requests += 1)
  subscribe(REQUESTS, count)
  onTestFinished(() => void unsubscribe(REQUESTS, count))
  const network = await startNetwork({ env: WARM })
  onTestFinished(() => network.close())
  expect(requests).toBeGreaterThan(5)
  expect(network.sandbox.control.calls()).toEqual([])
  const { data } = await network.ask(
    '{ paymentLinks { nodes { id } } payments { nodes { id } } paymentEvents { nodes { id } } }',
  )
  expect(data).toEqual({ paymentLinks: { nodes: [] }, payments: { nodes: [] }, paymentEvents: { nodes: [] } })
  expect(network.log()).not.toMatch(/"level":(?:50|60)/)
})

it('is not ready for probes before it is warm', async () => {
  const probes: Promise<Response>[] = []
  const network = await startWith((message) => {
    const { port } = (message as { server: Server }).server.address() as AddressInfo
    if (probes.length === 0) probes.push(fetch(`http://127.0.0.1:${port}/health/ready`))
  })
  const [early] = await Promise.all(probes)
  expect([early?.status, await early?.json()]).toEqual([503, { status: 'starting' }])
  expect((await fetch(`${network.app.url}/health/ready`)).status).toBe(200)
})

/** Starts an app, and calls a listener for each request that it handles meanwhile. The sandbox belongs to another network. */
async function startWith(onRequest: (message: unknown) => void): Promise<Network> {
  const elsewhere = await startNetwork()
  onTestFinished(() => elsewhere.close())
  subscribe(REQUESTS, onRequest)
  onTestFinished(() => void unsubscribe(REQUESTS, onRequest))
  const network = await startNetwork({ env: WARM, upstreamUrl: elsewhere.sandbox.url })
  unsubscribe(REQUESTS, onRequest)
  onTestFinished(() => network.close())
  return network
}

it('asks for what the schema has, and for nothing that is sent on', async () => {
  const network = await startNetwork()
  onTestFinished(() => network.close())
  const answers = await Promise.all(
    WARM_UP_OPERATIONS.map(({ query, variables }) => network.ask<{ createPaymentLink?: unknown }>(query, variables)),
  )
  expect(answers.flatMap(({ errors = [] }) => errors)).toEqual([])
  expect(answers.flatMap(({ data }) => data.createPaymentLink ?? [])).toMatchObject([
    { __typename: 'PaymentsInvalidInputError' },
  ])
  expect(network.sandbox.control.calls()).toEqual([])
})
