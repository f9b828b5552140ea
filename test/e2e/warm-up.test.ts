import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it, onTestFinished } from 'vitest'
import { WARM_UP_OPERATIONS } from '../../src/composition/warm-up.ts'
import { startNetwork } from '../network.ts'

/** With time enough for all of it on any machine. */
const WARM = { WARM_UP_MS: '60000' }
/** Told by Node of each request that a server of this process has begun to answer. */
const REQUESTS = 'http.server.request.start'

it('answers operations to itself before it is ready, and leaves no trace of them', async () => {
  let requests = 0
  const count = () => (requests += 1)
  subscribe(REQUESTS, count)
  onTestFinished(() => void unsubscribe(REQUESTS, count))
  const network = await startNetwork({ env: WARM })
  onTestFinished(() => network.close())
  expect(requests).toBeGreaterThan(10)
  expect(network.sandbox.control.calls()).toEqual([])
  const { data } = await network.ask(
    '{ paymentLinks { nodes { id } } payments { nodes { id } } paymentEvents { nodes { id } } }',
  )
  expect(data).toEqual({ paymentLinks: { nodes: [] }, payments: { nodes: [] }, paymentEvents: { nodes: [] } })
  expect(network.log()).not.toMatch(/"level":(?:50|60)/)
})

it('asks for what the schema has, and for nothing that is sent on', async () => {
  const network = await startNetwork()
  onTestFinished(() => network.close())
  const answers = await Promise.all(
    WARM_UP_OPERATIONS.map(({ query, variables }) => network.ask<{ createPaymentLink?: unknown }>(query, variables)),
  )
  expect(answers.flatMap(({ errors = [] }) => errors)).toEqual([])
  expect(answers.flatMap(({ data }) => data.createPaymentLink ?? [])).toMatchObject([
    { __typename: 'InvalidInputError' },
  ])
  expect(network.sandbox.control.calls()).toEqual([])
})
