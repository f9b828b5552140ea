import { expect, test } from 'vitest'
import { pictures } from '../support/identity.ts'
import { startNetwork } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { projectOf, typeFaults } from './snippets.ts'

const GUIDE = 'identity-checks.md'

test('the guide for identity checks is written in sound types', () => {
  expect(typeFaults(projectOf(GUIDE, {}), { lib: ['ES2024', 'DOM', 'DOM.AsyncIterable'] })).toBe('')
})

test('the guide for identity checks brings a person from nothing to an approved identity', async ({
  onTestFinished,
}) => {
  const network = await startNetwork({ sandbox: BY_HAND })
  onTestFinished(() => network.close())
  const token = await network.token({ scopes: ['customers:read', 'customers:write'] })
  const project = projectOf(GUIDE, {
    PAYMENTS_URL: `${network.app.url}/graphql`,
    PAYMENTS_TOKEN: token,
    CUSTOMER_ID: '4711',
    PAYER_EMAIL: 'guide@example.test',
  })
  const program = project.run('check-identity.ts')
  const url = (await program.line(/^upload to /)).slice('upload to '.length)
  await program.line(/^NOT_SUBMITTED$/)
  expect((await fetch(url, { method: 'POST', body: pictures() })).status).toBe(200)
  await network.sandbox.control.advance((2 * BY_HAND.paceMs) / 1000)
  const lines = (await program.output()).trimEnd().split('\n')
  expect(lines.at(-1)).toBe('APPROVED')
})
