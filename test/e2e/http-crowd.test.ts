import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startClients } from '../attacks/overload-load.ts'
import { startApp } from '../faults/killable-app.ts'
import { temporaryFolder } from '../process.ts'
import { deliver, paymentBody } from '../webhooks.ts'

/** Each connection asks again as soon as it is answered. */
const CROWD = 500
const WEBHOOKS = 40
/** How often each connection of the crowd may be answered meanwhile; nearer to 50 when a turn answers all that it has read. */
const ROUNDS = 10

it('lets webhooks in while hundreds of connections all ask at once', async () => {
  const app = await startApp({ path: join(temporaryFolder(), 'payments.db') })
  const clients = await startClients()
  onTestFinished(async () => {
    clients.stop()
    await app.kill()
  })
  const query = '{ paymentCurrencies { code exponent region versions enabled } }'
  clients.begin({ url: app.url, query, perSecond: null, connections: CROWD, once: false })
  let shed = 0
  while (shed <= CROWD) shed += (await clients.count()).shed

  const replies = await Promise.all(
    Array.from({ length: WEBHOOKS }, () => deliver(`${app.url}/webhooks/payments`, paymentBody())),
  )
  const meanwhile = await clients.count()
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: WEBHOOKS }, () => 200))
  expect(meanwhile.answered + meanwhile.shed).toBeLessThan(ROUNDS * CROWD)
  expect(meanwhile.other).toBe(0)
}, 90_000)
