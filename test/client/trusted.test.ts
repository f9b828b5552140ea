import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import * as kit from '../../packages/client/src/index.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { linkInput } from '../support/operations.ts'
import { isCaughtUp, isPaid, keep, QUICK } from './watching.ts'

const MANIFEST = 'packages/client/src/generated/trusted-documents.json'

let network: Network
beforeAll(async () => {
  network = await startNetwork({ env: { TRUSTED_DOCUMENTS: MANIFEST } })
  return () => network.close()
})

it('the manifest holds exactly the documents of the kit, by the hashes of their texts', () => {
  const documents = Object.values(kit).filter((value) => typeof value === 'object' && 'hash' in value)
  expect(documents.length).toBeGreaterThan(8)
  const manifest: unknown = JSON.parse(readFileSync(MANIFEST, 'utf8'))
  expect(manifest).toEqual(Object.fromEntries(documents.map(({ text, hash }) => [hash, text])))
  for (const { text, hash } of documents) expect(createHash('sha256').update(text).digest('hex')).toBe(hash)
})

const WAYS = (['socket', 'sse', 'polling'] as const).flatMap((transport) =>
  (['text', 'id'] as const).map((documents) => ({ transport, documents })),
)

it.each(WAYS)('a server that trusts nothing else is content with each $documents, over $transport', async (way) => {
  const endpoint = { url: `${network.app.url}/graphql`, token: () => network.token(), documents: way.documents }
  const { payinMethods } = await kit.ask(kit.PayinMethodsDocument, { currencies: ['AUD'] }, endpoint)
  expect(payinMethods?.nodes.length).toBeGreaterThan(0)
  const input = linkInput() as kit.CreatePaymentLinkInput
  const { createPaymentLink } = await kit.ask(kit.CreatePaymentLinkDocument, { input }, endpoint)
  if (createPaymentLink?.__typename !== 'CreatePaymentLinkSuccess') throw new Error('No link was made.')
  const { link } = createPaymentLink
  const options = { ...endpoint, transports: [way.transport], pollMs: 10, timing: QUICK }
  const watch = keep((more) => kit.watchPaymentLink(link.id, { ...options, ...more, locale: 'de' }))
  await watch.until(isCaughtUp)
  await pay(link.checkoutUrl)
  const { payment } = await watch.until(isPaid)
  await watch.leave()
  const after = watch.updates[0]?.cursor ?? ''
  for (const start of [
    () => kit.watchPayment(payment?.id ?? '', options),
    () => kit.watchPaymentEvents(null, { ...options, after }),
  ]) {
    const other = keep(start)
    await other.until(isCaughtUp)
    await other.leave()
  }
  await expect(kit.ask('{ __typename }', {}, endpoint)).rejects.toMatchObject({ code: 'UNTRUSTED_DOCUMENT' })
})
