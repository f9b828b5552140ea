import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { Scope } from '../../src/access/caller.ts'
import { pay } from '../support/checkout.ts'
import { erase } from '../support/erasures.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

let network: Network
afterEach(() => network.close())

const QUERY = 'query T($id: ID!) { payment(id: $id) { status cardToken } }'

/** Pays a link by card. Returns the id of its payment, and the token that its webhooks contained. */
async function paidByCard(): Promise<{ readonly id: string; readonly token: string }> {
  const link = await createLink(network)
  await pay(link.checkoutUrl, 'au_card_aud')
  // Webhooks have the token while the payment is authorised, however fast it goes on by itself.
  for (const status of ['authorised', 'received'] as const) await network.sandbox.control.setStatus(link.id, status)
  await network.sandbox.settle()
  await network.app.settle()
  const bodies = network.sandbox.control.webhooks().map(({ body }) => body)
  const id = network.sandbox.control.state().links.find(({ uuid }) => uuid === link.id)?.paymentUuid ?? ''
  return { id, token: bodies.flatMap((body) => body.match(/tok_\w+/g) ?? [])[0] ?? '' }
}

/** Returns how many kept tokens need a signing key. */
async function tokensOfKey(): Promise<number | undefined> {
  type Keys = { signingKeys: { setting: string; dependents: { kind: string; count: number }[] }[] }
  const { data } = await network.ask<Keys>('{ signingKeys { setting dependents { kind count } } }')
  const key = data.signingKeys.find(({ setting }) => setting === 'SIGNING_KEYS')
  return key?.dependents.find(({ kind }) => kind === 'CARD_TOKENS')?.count
}

const shown = async (id: string, scopes?: readonly Scope[]) =>
  network.ask<{ payment: { cardToken: string | null } }>(
    QUERY,
    { id },
    scopes === undefined ? {} : { token: await network.token({ scopes }) },
  )

// promise(data): Card tokens are dropped, unless CARD_TOKENS is keep: then they are stored encrypted, and erased with the payer.
it('a card token is kept on request, encrypted, for one scope, until the payer is erased', async () => {
  network = await startNetwork({ env: { CARD_TOKENS: 'keep' } })
  const { id, token } = await paidByCard()
  expect(token).toMatch(/^tok_/)
  await expect.poll(async () => (await shown(id)).data.payment).toEqual({ status: 'RECEIVED', cardToken: token })
  const { errors = [] } = await shown(id, ['payments:read', 'payments:pii', 'payments:risk'])
  expect(errors).toMatchObject([{ path: ['payment', 'cardToken'], extensions: { code: 'FORBIDDEN' } }])
  const stored = readdirSync(network.folder).map((file) => readFileSync(join(network.folder, file)).toString('latin1'))
  expect(stored.join('')).toContain(id)
  expect(stored.join('') + network.log()).not.toContain(token)
  expect(await tokensOfKey()).toBe(1)
  await erase(network, 'PAYMENT', id)
  expect(await tokensOfKey()).toBe(0)
  expect((await shown(id)).data.payment).toEqual({ status: 'RECEIVED', cardToken: null })
})

it('a card token is dropped by default', async () => {
  network = await startNetwork()
  const { id, token } = await paidByCard()
  expect(token).toMatch(/^tok_/)
  await expect.poll(async () => (await shown(id)).data.payment).toEqual({ status: 'RECEIVED', cardToken: null })
})
