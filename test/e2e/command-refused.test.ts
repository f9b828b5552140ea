import { expect, it, onTestFinished } from 'vitest'
import { startNetwork } from '../support/network.ts'
import { CREATE_LINK, createLink, linkInput } from '../support/operations.ts'

/** Milliseconds that the payments API takes to create each link: more than sixteen are sent meanwhile, and most of the time is idle. */
const SLOW_MS = 4_000
const EVERY_MS = 100

// promise(process): A recorded command is answered while others are refused.
it('answers a command that is on record while it refuses others, of which nothing was begun', async ({ signal }) => {
  const network = await startNetwork({ env: { GRAPHQL_MAX_IN_FLIGHT: '16' } })
  onTestFinished(() => network.close())
  const known = linkInput()
  const first = await createLink(network, known)
  const { control } = network.sandbox
  control.addFault({ method: 'POST', path: '/v3/payin_links', answer: { delayMs: SLOW_MS }, times: 1_000 })

  const asked: Promise<number>[] = []
  const refused: Record<string, unknown>[] = []
  const send = async () => {
    const input = linkInput()
    const { status } = await network.ask(CREATE_LINK, { input })
    if (status === 503) refused.push(input)
    return status
  }
  const begin = () => {
    const answer = send()
    // Those that are under way when the test fails are not faults of their own.
    answer.catch(() => {})
    asked.push(answer)
  }
  while (refused.length === 0 && !signal.aborted) {
    begin()
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  const again = network.ask(CREATE_LINK, { input: known })
  begin()
  control.clearFaults()
  expect(await again).toMatchObject({
    status: 200,
    data: { createPaymentLink: { replayed: true, link: { id: first.id } } },
  })
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200, 503]))
  for (const input of refused)
    expect((await network.ask(CREATE_LINK, { input })).data).toMatchObject({ createPaymentLink: { replayed: false } })
  expect((await fetch(`${network.app.url}/health/ready`)).status).toBe(200)
  // While the process waits for a processor, no time passes for its queue, and nothing is refused.
}, 180_000)
