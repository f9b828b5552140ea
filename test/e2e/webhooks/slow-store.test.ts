import { describe, expect, it } from 'vitest'
import { paymentBody } from '../../support/webhooks.ts'
import { openWebhookServer } from './webhook-server.ts'

const BODY = paymentBody({ uuid: 'PAY1' })

// promise(kept): On a slow disk webhooks get 503 in time, and a bounded number of them waits.
describe('a handler whose store takes too long', () => {
  it('answers 503 in time, keeps the place taken, and recognises the repeat of what was stored after all', async () => {
    const gate = Promise.withResolvers<void>()
    const stored = Promise.withResolvers<void>()
    const { send, store, responses } = await openWebhookServer(({ inbox }) => ({
      maxStoreMs: 1_000,
      maxInFlight: 1,
      inbox: {
        ...inbox,
        async receive(delivery) {
          await gate.promise
          const outcome = await inbox.receive(delivery)
          stored.resolve()
          return outcome
        },
      },
    }))
    expect(await send({ body: BODY })).toBe(503)
    expect(await send({ body: paymentBody({ uuid: 'PAY2' }) })).toBe(503)
    gate.resolve()
    await stored.promise

    expect(await send({ body: BODY })).toBe(200)
    expect(responses.at(-1)?.outcome).toMatchObject({ repeat: true })
    expect((await store.inbox.page({ limit: 9, before: null }, {})).rows).toMatchObject([
      { subjectId: 'PAY1', attempts: 2 },
    ])
  })
})
