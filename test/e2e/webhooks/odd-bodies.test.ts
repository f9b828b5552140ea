import { describe, expect, it } from 'vitest'
import { DEEP, UNUSABLE, USABLE } from '../../unit/webhooks/odd-bodies.ts'
import { openWebhookServer } from './webhook-server.ts'

async function statusAndTraces(body: Buffer) {
  const { store, send } = await openWebhookServer()
  const status = await send({ body })
  const traces = (await store.inbox.page({ limit: 10, before: null }, {})).rows
  const again = await send({ body })
  expect(again).toBe(status)
  expect('polluted' in {}).toBe(false)
  expect(Object.keys(Object.prototype)).toEqual([])
  // The store still works.
  expect(await send({ body: '{"uuid":"PAY9","status":"pending"}' })).toBe(200)
  return { status, traces }
}

describe('an authentic body', () => {
  it.each(USABLE)('with %s is taken', async (_name, body) => {
    const { status, traces } = await statusAndTraces(body)
    expect(status).toBe(200)
    expect(traces).toMatchObject([{ subjectId: 'PAY1', disposition: 'APPLIED' }])
  })

  it.each(UNUSABLE)('that is, or has, %s is refused and kept', async (_name, body) => {
    const { status, traces } = await statusAndTraces(body)
    expect(status).toBe(400)
    expect(traces).toMatchObject([{ disposition: 'QUARANTINED' }])
  })

  it.each(DEEP)('of %s is one or the other', async (_name, body) => {
    const { status, traces } = await statusAndTraces(body)
    expect(traces.map(({ disposition }) => disposition)).toEqual([status === 200 ? 'APPLIED' : 'QUARANTINED'])
    expect([200, 400]).toContain(status)
  })
})
