import { join } from 'node:path'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startApp } from '../faults/killable-app.ts'
import { developerToken } from '../faults/process-client.ts'
import { rounds } from '../faults/rounds.ts'
import { askAt, SECRETS, type Answer, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput, type CreateLinkResult } from '../support/operations.ts'
import { temporaryFolder } from '../support/process.ts'

let sandbox: Sandbox
let token: string
beforeAll(async () => {
  sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })
  token = await developerToken()
})
afterAll(() => sandbox.close())

const QUERY = '{ payinMethods(currencies: ["AUD"]) { nodes { code name } } }'
const SIZES = rounds({ few: 0, many: 1 }) === 0 ? [20, 100, 500] : [20, 50, 100, 200, 500]

// promise(process): Bursts of up to 500 commands and queries are not refused, even just after the start.
/** Sends that many requests at once, just after the process has reported that it is ready, and once more. */
it.each(SIZES)('refuses none of %i commands, and none of as many queries, just started and warm', async (size) => {
  const env = { WARM_UP_MS: '1000', UPSTREAM_URL: sandbox.url, UPSTREAM_SITES: JSON.stringify(sandbox.sites) }
  const app = await startApp({ path: join(temporaryFolder(), 'payments.db'), env })
  onTestFinished(async () => void (await app.kill()))
  const ask = askAt(() => app.url)
  for (const _when of ['just started', 'warm']) {
    await expectLinks(ask, size)
    const answers = await Promise.all(Array.from({ length: size }, () => ask(QUERY, {}, { token })))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  }
  const figures = await (await fetch(`${app.url}/metrics`)).text()
  expect(figures).not.toMatch(/^payments_turned_away_total\{reason="overload"\}/m)
})

/** Creates that many links at once. Commands that were too slow are repeated under their keys, as a client does. */
async function expectLinks(ask: Network['ask'], size: number): Promise<void> {
  let open = Array.from({ length: size }, () => linkInput())
  while (open.length > 0) {
    const answers = await Promise.all(
      open.map((input) => ask<{ createPaymentLink: CreateLinkResult }>(CREATE_LINK, { input }, { token })),
    )
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    open = open.filter((_input, index) => isOpen(answers[index]))
  }
}

function isOpen(answer: Answer<{ createPaymentLink: CreateLinkResult }> | undefined): boolean {
  const typename = answer?.data.createPaymentLink.__typename
  if (typename === 'PaymentsOutcomeUnknownError' || typename === 'PaymentsIdempotencyConflictError') return true
  expect(typename).toBe('CreatePaymentLinkSuccess')
  return false
}
