import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DEFAULT_SITES, runScenario, startSandbox, trigger, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, expect, it } from 'vitest'

let sandbox: Sandbox
const received: string[] = []
const server = createServer((request, response) => {
  void request.toArray().then((chunks) => {
    received.push(Buffer.concat(chunks as Buffer[]).toString())
    return response.end()
  })
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  sandbox = await startSandbox({ sites: [...DEFAULT_SITES] })
})
afterAll(async () => {
  await sandbox.close()
  server.close()
})

const webhookUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

const declined = (status = 'failed') => `
name: A card is declined
steps:
  - create: link
    as: order
    set: { amount: 30, webhook_url: "${webhookUrl()}" }
  - trigger: payment.failed
    on: order
    set: { failure_code: insufficient_funds }
  - trigger: webhook.duplicate
    on: order
  - advance: 60
  - wait: 1
  - expect: { of: order, status: ${status}, failure_code: insufficient_funds, webhooks: 2, delivered: true }
`

it('runs step by step, and gives back the ids of its objects', async () => {
  const steps: number[] = []
  const before = received.length
  const { order } = await runScenario(declined(), { origin: sandbox.origin, onStep: (number) => steps.push(number) })
  expect(steps).toEqual([1, 2, 3, 4, 5, 6])
  const [first = '', ...others] = received.slice(before)
  expect(others).toHaveLength(1)
  expect(JSON.parse(first)).toMatchObject({ status: 'failed' })
  expect(sandbox.control.state().links.map(({ uuid }) => uuid)).toContain(order)
})

it.each([
  ['an expectation that is not met', () => declined('received'), /^Step 6: status of order is failed, not received/],
  [
    'a name of nothing',
    () => 'name: x\nsteps: [{ trigger: payment.failed, on: order }]',
    /^Step 1: nothing was created as order/,
  ],
  [
    'a step that there is not',
    () => 'name: x\nsteps:\n  - pay: order',
    /line 3, steps\.0: must be one of create, trigger/,
  ],
  [
    'a field that there is not',
    () => 'name: x\nsteps:\n  - wait: 1\n  - expect: { of: order, is: paid }',
    /line 4, steps\.1\.expect: .*"is"/,
  ],
  ['nothing', () => '', /line 1/],
  ['no YAML', () => 'name: x\nsteps: [', /not YAML: [^\n]* at line 2, column 9/],
  ['an alias of nothing', () => 'name: *x', /not YAML: .*x/],
])('refuses %s', async (_what, text, message) => {
  await expect(runScenario(text(), { origin: sandbox.origin })).rejects.toThrow(message)
})

it.each([
  ['payment.lost', {}, /HTTP 422/],
  ['payments', {}, /There is no event payments/],
  ['payment.failed', { set: { failure: 'x' } }, /failure cannot be set: there are failure_code/],
  ['payment.failed', { set: { failure_code: 'x' } }, /no such failure code/],
  ['payout.finished', {}, /needs the id/],
  ['payment.failed', { id: 'nobody' }, /HTTP 404/],
])('refuses the event %s with %j', async (event, options, message) => {
  await expect(trigger(event, { origin: sandbox.origin, ...options })).rejects.toThrow(message)
})
