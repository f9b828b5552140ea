import { expect, it, onTestFinished } from 'vitest'
import { startNetwork } from '../support/network.ts'
import { CREATE_LINK, linkInput } from '../support/operations.ts'

/** Milliseconds that the payments API takes to create each link: more than sixteen are sent meanwhile, and most of the time is idle. */
const SLOW_MS = 4_000
const EVERY_MS = 100

// promise(process): Queries are answered while commands are refused because the payments API is slow.
it('refuses commands that the payments API holds up, of which nothing was begun, and answers queries', async ({
  signal,
}) => {
  const network = await startNetwork({ env: { GRAPHQL_MAX_IN_FLIGHT: '16' } })
  onTestFinished(() => network.close())
  const { control } = network.sandbox
  control.addFault({ method: 'POST', path: '/v3/payin_links', answer: { delayMs: SLOW_MS }, times: 1_000 })

  const asked: Promise<number>[] = []
  const refused: Record<string, unknown>[] = []
  const send = async () => {
    const input = linkInput()
    const { status, errors } = await network.ask(CREATE_LINK, { input })
    if (status !== 503) return status
    expect(errors).toMatchObject([{ extensions: { code: 'OVERLOADED', retryAfterMs: expect.any(Number) } }])
    refused.push(input)
    return status
  }
  while (refused.length === 0 && !signal.aborted) {
    const answer = send()
    // Those that are under way when the test fails are not faults of their own.
    answer.catch(() => {})
    asked.push(answer)
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  expect((await network.ask('{ paymentLinks(first: 1) { nodes { id } } }')).status).toBe(200)
  control.clearFaults()
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200, 503]))
  for (const input of refused)
    expect((await network.ask(CREATE_LINK, { input })).data).toMatchObject({ createPaymentLink: { replayed: false } })
  expect((await fetch(`${network.app.url}/health/ready`)).status).toBe(200)
}, 180_000)
