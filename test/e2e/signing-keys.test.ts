import { afterEach, describe, expect, it } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { callbackAuthorization } from '../../src/keys/derived-secrets.ts'
import { createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import { callbackAddressOf, createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { mutate } from '../support/mutations.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { brokenLinks, gauge, isCaughtUp, isReceived } from '../support/streams.ts'
import { addressOf, honestHeaders, paymentBody, send } from '../support/webhooks.ts'

const OTHER = 'another-key-of-the-tests-0123456789abcdefgh'
const DAY_MS = 24 * 3_600_000
const [FIRST_ID = '', OTHER_ID = ''] = [SECRETS.signing, OTHER].flatMap((key) =>
  createKeyRing([new Secret(key)]).ids('SIGNING_KEYS'),
)

type Dependent = {
  readonly kind: string
  readonly needed: boolean
  readonly until: string | null
  readonly count: number | null
}
type Key = {
  readonly keyId: string
  readonly setting: string
  readonly state: string
  readonly removable: boolean
  readonly firstSignedAt: string | null
  readonly lastCallbackAt: string | null
  readonly dependents: readonly Dependent[]
}

let network: Network
let ahead = 0
afterEach(() => network.close())

/** Starts a network with one signing key. The returned function restarts it with these callback keys. */
async function startRotating() {
  ahead = 0
  network = await startNetwork({ sandbox: NO_ANSWER, clock: () => new Date(Date.now() + ahead) })
  return (...keys: string[]) => network.restart(undefined, { CALLBACK_KEYS: keys.join(',') })
}

async function keyOf(keyId: string, setting: string): Promise<Key | undefined> {
  const { data } = await network.ask<{ signingKeys: Key[] }>(
    '{ signingKeys { keyId setting state removable firstSignedAt lastCallbackAt dependents { kind needed until count } } }',
  )
  return data.signingKeys.find((key) => key.keyId === keyId && key.setting === setting)
}

const neededBy = (key: Key | undefined) => key?.dependents.filter(({ needed }) => needed).map(({ kind }) => kind)

/** Sends a webhook to the address of a new link, under the secret of a key. Returns the status of the answer. */
async function webhookUnder(key: string): Promise<number> {
  const { url, ref } = await addressOf(network, await createLink(network))
  const body = paymentBody()
  const authorization = callbackAuthorization(createKeyRing([new Secret(key)]), 'payment', ref)
  return (await send(url, { headers: honestHeaders(body, authorization), body })).status
}

// promise(authentication): The report of signing keys contains only ids of keys.
describe('keys of callbacks', () => {
  it('are the signing keys where there are no others', async () => {
    await startRotating()
    expect(await webhookUnder(SECRETS.signing)).toBe(200)
    const key = await keyOf(FIRST_ID, 'CALLBACK_KEYS')
    expect(key).toMatchObject({ state: 'SIGNS', removable: false })
    expect(neededBy(key)).toEqual(['CALLBACKS_OF_PAYMENTS', 'CALLBACKS_OF_AGREEMENTS'])
    expect((await keyOf(FIRST_ID, 'SIGNING_KEYS'))?.dependents).toHaveLength(5)
  })

  it('are replaced apart from the signing keys, and retired once nothing depends on them', async () => {
    const list = await startRotating()
    const agreement = await createAgreement(network)
    const { url, authorization } = await callbackAddressOf(network, agreement.id)
    const callback = async () => {
      await network.sandbox.control.setAgreementStatus(agreement.serviceId, 'active')
      const body = network.sandbox.control.webhooks().findLast(({ subject }) => subject === agreement.id)?.body ?? ''
      return (await send(url, { headers: { 'content-type': 'application/json', authorization }, body })).status
    }

    await list(OTHER, SECRETS.signing)
    expect([await webhookUnder(OTHER), await callback()]).toEqual([200, 200])
    expect(await gauge(network, `payments_callbacks_verified_total{key="${FIRST_ID}"}`)).toBeGreaterThan(0)
    expect(await keyOf(OTHER_ID, 'CALLBACK_KEYS')).toMatchObject({ state: 'SIGNS', firstSignedAt: expect.any(String) })
    expect(await keyOf(FIRST_ID, 'SIGNING_KEYS')).toMatchObject({ state: 'SIGNS' })
    const before = await keyOf(FIRST_ID, 'CALLBACK_KEYS')
    expect(before).toMatchObject({ state: 'VERIFIES', removable: false })
    expect(before?.dependents).toContainEqual(
      expect.objectContaining({ kind: 'CALLBACKS_OF_AGREEMENTS', needed: true, count: 1 }),
    )

    // Too early: it is refused, counted and warned of.
    await list(OTHER)
    expect(network.log()).toMatch(
      new RegExp(`"keyId":"${FIRST_ID}".*"needed":\\[.*a signing key that is still needed is no longer listed`),
    )
    expect(await callback()).toBe(401)
    expect(await gauge(network, 'payments_callbacks_unknown_key_total')).toBeGreaterThan(0)
    expect(await keyOf(FIRST_ID, 'CALLBACK_KEYS')).toMatchObject({
      state: 'REMOVED',
      removable: false,
      lastCallbackAt: expect.any(String),
    })

    await list(OTHER, SECRETS.signing)
    ahead = 100 * DAY_MS
    expect(neededBy(await keyOf(FIRST_ID, 'CALLBACK_KEYS'))).toEqual([
      'CALLBACKS_OF_PAYMENTS',
      'CALLBACKS_OF_AGREEMENTS',
    ])
    ahead = 190 * DAY_MS
    expect(neededBy(await keyOf(FIRST_ID, 'CALLBACK_KEYS'))).toEqual(['CALLBACKS_OF_AGREEMENTS'])
    await mutate(network, 'changePaymentAgreementStatus', {
      idempotencyKey: 'cancel-1',
      id: agreement.id,
      status: 'CANCELLED',
    })
    expect(await keyOf(FIRST_ID, 'CALLBACK_KEYS')).toMatchObject({ removable: true })
  })

  it('do not replace the signing keys of other things', async () => {
    const list = await startRotating()
    const { id, statusToken } = await createLink(network)
    await list(OTHER)
    const { data } = await network.ask<{ paymentLink: object | null }>(
      'query Link($id: ID!, $statusToken: String) { paymentLink(id: $id, statusToken: $statusToken) { id } }',
      { id, statusToken },
      { token: null },
    )
    expect(data.paymentLink).toEqual({ id })
  })
})

describe('a stream', () => {
  it('has no gap where the signing keys were replaced', async () => {
    await startRotating()
    const { id } = await createLink(network)
    await network.sandbox.control.setStatus(id, 'pending')
    const first = await network.follow(LINK_UPDATES, { id })
    const before = await first.until(isCaughtUp)
    await network.restart(undefined, { SIGNING_KEYS: `${OTHER},${SECRETS.signing}` })
    const held = before.at(-1)?.cursor ?? ''
    const second = await network.follow(LINK_UPDATES, { id, after: held })
    await second.until(isCaughtUp)
    await network.sandbox.control.setStatus(id, 'received')
    const after = await second.until(isReceived)
    await second.end()
    expect(brokenLinks(after, held)).toEqual([])
  })
})

describe('the command line', () => {
  it('lists the keys, and what depends on each', async () => {
    const list = await startRotating()
    await list(OTHER, SECRETS.signing)
    const env = { SUBGRAPH_TOKEN: await network.token({ scopes: ['payments:read'] }) }
    const { code, out, err } = await run(['keys', '--url', `${network.app.url}/graphql`], env, {
      output: process.stdout,
      terminal: process.stderr,
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^KEY +SETTING +STATE +SIGNED SINCE +LAST SIGNED +LAST CALLBACK +REMOVABLE\n/)
    expect(out).toMatch(new RegExp(`\\n${OTHER_ID} +CALLBACK_KEYS +SIGNS +\\S+Z +\\S+Z +- +no\\n`))
    expect(out).toMatch(new RegExp(`\\n${FIRST_ID} +CALLBACK_KEYS +VERIFIES +- +\\S+Z +- +no\\n`))
    expect(out).toMatch(
      new RegExp(`\\n${FIRST_ID} OF CALLBACK_KEYS +NEEDED +UNTIL +COUNT\\nCALLBACKS_OF_PAYMENTS +yes +\\S+Z +-\\n`),
    )
    expect(out).toMatch(/\nERASURES +yes +no end +-\n/)
    expect(out).not.toContain(OTHER)
    const json = await run(['keys', '--json', '--url', `${network.app.url}/graphql`], env, {
      output: process.stdout,
      terminal: process.stderr,
    })
    expect(JSON.parse(json.out)).toHaveLength(3)
  })
})
