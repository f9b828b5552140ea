import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, linkInput, tryCreateLink } from '../support/operations.ts'

const LINKS = '/v3/payin_links'
const REPEATED_AFTER_MS = 30_001

let network: Network
let now = Date.now()
/** `nested`: the detail of a link tells its checkout URL; `flat`: nothing does. */
const start = (webhookForm: 'flat' | 'nested') => async () =>
  void (network = await startNetwork({ clock: () => new Date(now), sandbox: { webhookForm } }))
afterEach(() => network.sandbox.control.clearFaults())

type Entry = Record<string, unknown>

const links = () => network.sandbox.control.state().links

const calls = (method: string, path: string) =>
  network.sandbox.control.calls().filter((call) => call.method === method && call.path.endsWith(path)).length

/** Creates a link in the payments API whose creation is not answered. Returns its uuid and the input. */
async function orphaned(input = linkInput()) {
  const known = new Set(links().map(({ uuid }) => uuid))
  network.sandbox.control.addFault({ method: 'POST', path: LINKS, answer: 'drop-after' })
  expect(await tryCreateLink(network, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
  return { input, orphan: links().find(({ uuid }) => !known.has(uuid))?.uuid ?? '' }
}

/** Makes every page of the list, and with `uuid` the detail of that link, omit fields. */
async function omit(fields: readonly string[], uuid?: string) {
  const [site] = network.sandbox.sites
  const headers = { 'app-id': site?.appId ?? '', 'secret-key': site?.secretKey ?? '' }
  const kept = (entry: Entry) => Object.fromEntries(Object.entries(entry).filter(([key]) => !fields.includes(key)))
  for (const path of uuid === undefined ? [LINKS] : [LINKS, `${LINKS}/${uuid}`]) {
    const json = (await (await fetch(`${network.sandbox.url}${path}`, { headers })).json()) as Entry
    const body = 'records' in json ? { ...json, records: (json['records'] as Entry[]).map(kept) } : kept(json)
    network.sandbox.control.addFault({ method: 'GET', path, times: 100, answer: { status: 200, body } })
  }
}

const URLS = ['payment_url', 'payment_link_url']
const WEBHOOK = ['webhook_notification']

// promise(commands): A link whose creation got no response is found, even if the list shows neither its webhook URL nor
// its checkout URL.
describe('a link without an answer, where the detail tells more than the list', () => {
  beforeAll(start('nested'))
  afterAll(() => network.close())

  it.each([
    ['the checkout URL', URLS],
    ['the webhook URL', WEBHOOK],
    ['both', [...URLS, ...WEBHOOK]],
  ])('is found although the list omits %s', async (_what, fields) => {
    await createLink(network)
    const { input, orphan } = await orphaned()
    await omit(fields)
    now += REPEATED_AFTER_MS
    const before = { posts: calls('POST', LINKS), reads: calls('GET', `${LINKS}/${orphan}`) }
    expect(await tryCreateLink(network, input)).toMatchObject({ replayed: true, link: { id: orphan } })
    expect(calls('POST', LINKS)).toBe(before.posts)
    expect(calls('GET', `${LINKS}/${orphan}`)).toBeGreaterThan(before.reads)
  })

  it('is not looked for in entries of other requests: one on record, and one with another amount', async () => {
    const lost = linkInput()
    network.sandbox.control.addFault({ method: 'POST', path: LINKS, answer: 'reset' })
    expect(await tryCreateLink(network, lost)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    const known = await createLink(network, { reference: lost['reference'] })
    const { orphan } = await orphaned(
      linkInput({ reference: lost['reference'], amount: { value: '99.00', currency: 'AUD' } }),
    )
    await omit(WEBHOOK)
    now += REPEATED_AFTER_MS
    expect(await tryCreateLink(network, lost)).toMatchObject({ replayed: false })
    expect(calls('GET', `${LINKS}/${known.id}`) + calls('GET', `${LINKS}/${orphan}`)).toBe(0)
  })
})

describe('a link without an answer, whose checkout URL nothing tells', () => {
  beforeAll(start('flat'))
  afterAll(() => network.close())

  it('is replaced by another one after 30 seconds, since nobody can have its checkout URL', async () => {
    const { input, orphan } = await orphaned()
    expect(await tryCreateLink(network, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    now += REPEATED_AFTER_MS
    const made = await tryCreateLink(network, input)
    expect(made).toMatchObject({ __typename: 'CreatePaymentLinkSuccess', replayed: false })
    expect(made.link?.id).not.toBe(orphan)
    expect(links()).toHaveLength(2)
  })
})
