import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../faults/killable-app.ts'
import { LINK_UPDATES } from '../support/operations.ts'
import { temporaryFolder } from '../support/process.ts'
import { greetedSocket, type RawSocket } from '../support/socket.ts'
import { deliver, paymentBody } from '../support/webhooks.ts'

const SOCKETS = 60
/** Operations in flight on each socket; the next one is sent as soon as one is answered. */
const EACH = 8
const WEBHOOKS = 40
const STREAMS = 20
/** Most answers per operation of the crowd meanwhile; about 40 if one turn of the event loop answered all that it has read. */
const ROUNDS = 10
const QUERY = '{ paymentCurrencies { code exponent region versions enabled } }'
const SETTINGS = { SOCKET_LIMITS: 'operationsPerSecond=100000,messagesPerSecond=100000,bytesPerSecond=100000000' }

it('lets webhooks in, and streams begin, while hundreds of operations are asked for at once over sockets', async () => {
  const app = await startApp({ path: join(temporaryFolder(), 'payments.db'), env: SETTINGS })
  onTestFinished(async () => void (await app.kill()))
  const watcher = await greetedSocket(app.url)
  const crowd = await gather(app.url)
  await expect.poll(crowd.answered).toBeGreaterThan(SOCKETS * EACH)

  const before = crowd.answered()
  const replies = await Promise.all(
    Array.from({ length: WEBHOOKS }, () => deliver(`${app.url}/webhooks/payments`, paymentBody())),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: WEBHOOKS }, () => 200))
  expect(crowd.answered() - before).toBeLessThan(ROUNDS * SOCKETS * EACH)

  for (let index = 0; index < STREAMS; index += 1) {
    const payload = { query: LINK_UPDATES, variables: { id: 'unknown' } }
    watcher.send({ id: `${index}`, type: 'subscribe', payload })
    const [{ payload: told }, { type }] = [await watcher.next(), await watcher.next()]
    expect(told).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] })
    expect(type).toBe('complete')
  }
  expect(await crowd.disperse()).toEqual({ refused: 0, other: 0 })
})

/** Opens sockets that keep operations in flight. */
async function gather(url: string) {
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => greetedSocket(url)))
  const counts = { given: 0, refused: 0, other: 0 }
  let over = false

  const askOnAndOn = async (socket: RawSocket) => {
    let last = 0
    const ask = () => socket.send({ id: `${(last += 1)}`, type: 'subscribe', payload: { query: QUERY } })
    for (let index = 0; index < EACH; index += 1) ask()
    while (!over) {
      const { type, payload } = await socket.next()
      if (type === 'complete') continue
      counts[kindOf(type, payload)] += 1
      ask()
    }
    socket.close()
  }
  const asking = Promise.all(sockets.map(askOnAndOn))
  return {
    answered: () => counts.given,
    /** Stops all of them. Returns how many answers were rejections, and how many neither data nor a rejection. */
    async disperse() {
      over = true
      await asking
      return { refused: counts.refused, other: counts.other }
    },
  }
}

function kindOf(type: string, payload: unknown): 'given' | 'refused' | 'other' {
  if (type === 'next') return 'given'
  return JSON.stringify(payload).includes('"code":"OVERLOADED"') ? 'refused' : 'other'
}
