import { createSecretKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_SCOPES } from '../../src/access/caller.ts'
import { COMMANDS, resultId } from '../support/commands.ts'
import { newKey } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { linkInput } from '../support/operations.ts'
import { BY_HAND } from '../support/payins.ts'
import { V1_SITES } from '../support/payouts.ts'
import { findPostgres, type Database } from '../support/postgres.ts'

const server = await findPostgres()

const KINDS = ['SQLite', ...(server === null ? [] : ['PostgreSQL'])]

// promise(authentication): No caller sees or blocks another caller's command by using the same idempotency key.
describe.each(KINDS)('idempotency keys on %s', (kind) => {
  let database: Database | null = null
  let network: Network

  beforeAll(async () => {
    if (kind === 'PostgreSQL') database = (await server?.createDatabase({ migrated: true })) ?? null
    const env = { ...V1_SITES, ...(database === null ? {} : { DATABASE_URL: database.url }) }
    network = await startNetwork({ sandbox: BY_HAND, env })
  })
  afterAll(async () => {
    await network?.close()
    await database?.drop()
  })

  const calls = () => asked(network, 'POST', '/v3/payin_links')
  const createAs = (token: string, input: ReturnType<typeof linkInput>) =>
    mutate(network, 'createPaymentLink', input, { token })
  const tokenOf = (claims: Readonly<Record<string, string>>, scopes: readonly string[] = ALL_SCOPES) =>
    new SignJWT({ scope: scopes.join(' '), ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setExpirationTime('1h')
      .sign(createSecretKey(SECRETS.jwt, 'utf8'))

  it('of two callers at once make two links, and of one caller a single one', async () => {
    const input = linkInput({ idempotencyKey: newKey() })
    const [one, two] = [await network.token({ subject: 'one' }), await network.token({ subject: 'two' })]
    const before = calls()
    const results = await Promise.all([one, two, one, two, one, two].map((token) => createAs(token, input)))
    const ids = results.map((result) => resultId(result))
    expect(new Set(ids).size).toBe(2)
    expect(new Set([ids[0], ids[2], ids[4]]).size).toBe(1)
    expect(calls() - before).toBe(2)
  })

  it('belong to issuer and subject, to the client where a token names no subject, and to nobody else', async () => {
    const input = linkInput({ idempotencyKey: newKey() })
    const callers = [
      { iss: 'https://a.example', sub: 'shop' },
      { iss: 'https://b.example', sub: 'shop' },
      { iss: 'https://a.example', client_id: 'shop' },
      { iss: 'https://a.example', azp: 'another' },
      { iss: 'https://a.example' },
    ]
    const ids = new Set<string | null>()
    for (const claims of callers) {
      const first = await createAs(await tokenOf(claims), input)
      expect(first).toMatchObject({ replayed: false })
      ids.add(resultId(first))
      // The `azp` claim, the client to which a user's token was issued, does not change the caller.
      const again = await createAs(await tokenOf({ ...claims, ...('sub' in claims ? { azp: 'an app' } : {}) }), input)
      expect(again).toMatchObject({ replayed: true, link: { id: resultId(first) } })
    }
    expect(ids.size).toBe(callers.length)
  })

  it('tell no caller what became of an agreement that another one asked for', async () => {
    const agreement = COMMANDS.find(({ name }) => name === 'createPaymentAgreement')
    if (agreement === undefined) throw new Error('Unknown command.')
    const { input } = await agreement.prepare(network)
    const { control } = network.sandbox
    const run = async (subject: string) =>
      mutate(network, agreement.name, input, { token: await network.token({ subject }) })
    // The first agreement is created, the second is rejected, and neither caller receives the answer: the payments API identifies
    // agreements only by the clientTransactionId.
    control.addFault({ method: 'POST', path: agreement.path, times: 2, answer: 'drop-after' })
    expect(await run('one')).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await run('two')).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await run('two')).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
  })
})
