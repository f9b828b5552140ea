import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKeyRing, Secret } from '../../../src/keys/key-ring.ts'
import { systemTimer } from '../../../src/lib/timers.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { startSigningKeys } from '../../../src/retention/signing-keys.ts'
import { findPostgres } from '../../support/postgres.ts'
import { postgresFixtures } from '../contract/postgres-fixture.ts'
import type { OpenedStore } from '../contract/store-contract.ts'

const server = await findPostgres()

const ringOf = (...letters: string[]) => {
  const [first = new Secret(''), ...others] = letters.map((letter) => new Secret(letter.repeat(40)))
  return createKeyRing([first, ...others])
}
const idOf = (letter: string) => ringOf(letter).ids('SIGNING_KEYS')[0] ?? ''

describe.skipIf(server === null)('the signing keys of nodes on one database', () => {
  const fixtures = server === null ? null : postgresFixtures(server)
  let opened: OpenedStore
  let hours = 0
  beforeEach(async () => {
    if (fixtures !== null) opened = await fixtures.open(() => new Date())
  })
  afterEach(() => opened.destroy())
  afterAll(() => fixtures?.drop())

  /** Starts and ends a node with these keys, an hour after the one before. */
  async function node(letters: string[], removed: string[] = []): Promise<void> {
    hours += 1
    let now = Date.UTC(2026, 0, 1, hours)
    const keys = await startSigningKeys({
      ring: ringOf(...letters),
      store: opened.store.signingKeys,
      lifetimes: { refundWindowDays: 1, deliveryKeysDays: 1 },
      removed,
      logger: createLogger({ level: 'silent' }),
      clock: () => new Date((now += 1)),
      timer: systemTimer,
    })
    await keys.close()
  }

  it('are replaced in three steps', async () => {
    for (const letters of [['a'], ['a', 'b'], ['a'], ['b', 'a'], ['a', 'b'], ['b', 'a'], ['b']])
      await expect(node(letters)).resolves.toBeUndefined()
  })

  it.each([
    ['lack the one that signs', ['b'], /does not list the key [0-9a-f]{8}/],
    ['begin with one that no other node knows', ['b', 'a'], /begins with the key [0-9a-f]{8}.*Put it at the end/],
  ])('may not %s', async (_what, letters, message) => {
    await node(['a'])
    await expect(node(letters)).rejects.toThrow(message)
    await expect(node(letters)).rejects.toMatchObject({ name: 'StoreUnusableError' })
    // Nothing of the refused node is on record, so the others go on.
    await expect(node(['a'])).resolves.toBeUndefined()
  })

  it('may be removed at once, by their ids', async () => {
    await node(['a'])
    await expect(node(['b'], ['01234567'])).rejects.toThrow('REMOVED_SIGNING_KEYS=')
    await expect(node(['b'], [idOf('a')])).resolves.toBeUndefined()
    await expect(node(['a'])).rejects.toThrow(idOf('b'))
  })
})
