import { afterEach, expect, it } from 'vitest'
import { startNetwork, type Network } from '../network.ts'
import { linkInput, tryCreateLink } from '../operations.ts'
import { openSocket } from '../socket.ts'
import { defaultAddress, deliver, paymentBody } from '../webhooks.ts'

const QUERY = '{ paymentCurrencies { code } }'

let network: Network
afterEach(() => network.close())

const ready = async () => {
  const response = await fetch(`${network.app.url}/health/ready`)
  return { status: response.status, body: await response.json() }
}
const OVERLOADED = { status: 503, body: { status: 'overloaded' } }

const ask = () =>
  fetch(`${network.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  })

it('turns GraphQL away while so many are under way, and takes webhooks', async () => {
  const room = 3
  network = await startNetwork({ env: { GRAPHQL_MAX_IN_FLIGHT: String(room) } })
  const { control } = network.sandbox
  await tryCreateLink(network)
  control.addFault({ method: 'POST', path: '/v3/payin_links', answer: { delayMs: 1_500 }, times: room })
  const before = control.calls().length
  const busy = Array.from({ length: room }, () => tryCreateLink(network, linkInput()))
  await expect.poll(() => control.calls().length).toBe(before + room)

  const refused = await ask()
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'OVERLOADED' } }] })
  await expect(openSocket(network.app.url)).rejects.toThrow('503')
  expect(await ready()).toEqual(OVERLOADED)
  expect((await deliver(defaultAddress(network), paymentBody())).status).toBe(200)

  for (const result of await Promise.all(busy)) expect(result).toMatchObject({ replayed: false })
  expect((await ask()).status).toBe(200)
  expect(await ready()).toMatchObject({ status: 200 })
  expect(await (await fetch(`${network.app.url}/metrics`)).text()).toMatch(
    /^payments_turned_away_total\{reason="overload"\} 1$/m,
  )
})

it('says so once its event loop has stood still, and recovers within 5 seconds', async () => {
  network = await startNetwork({ env: { MAX_EVENT_LOOP_DELAY_MS: '300' } })
  const asleep = performance.now() + 2_000
  while (performance.now() < asleep);
  const [probe, question, webhook] = await Promise.all([
    ready(),
    ask(),
    deliver(defaultAddress(network), paymentBody()),
  ])
  expect(performance.now() - asleep).toBeLessThan(3_000)
  expect(probe).toEqual(OVERLOADED)
  expect(question.status).toBe(503)
  expect(webhook.status).toBe(200)
  await expect.poll(async () => (await ready()).status, { timeout: 5_000 }).toBe(200)
  expect((await ask()).status).toBe(200)
})
