import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../src/ledger/store.ts'
import { StoreFailure } from '../../src/store/store-errors.ts'
import { delivery, report } from '../store/contract/builders.ts'
import { canMakeServer, createOwnServer, type OwnServer } from '../support/postgres-server.ts'
import type { Database } from '../support/postgres.ts'
import { openPostgresStore } from '../support/store.ts'
import { rounds } from './rounds.ts'

const KILLS = rounds({ few: 3, many: 100 })

// promise(kept): PostgreSQL killed, restarted or hanging under load loses nothing, blocks nobody for ever, and is used
// again when it is back.
describe.skipIf(!canMakeServer())('a PostgreSQL server that fails', () => {
  let own: OwnServer
  let database: Database
  let store: Store

  beforeAll(async () => {
    own = await createOwnServer()
    database = await own.createDatabase()
  })
  beforeEach(async () => {
    await own.start()
    store = await openPostgresStore({ url: database.url })
  })
  afterEach(() => store.close())
  afterAll(() => own.remove())

  const receive = (paymentId: string) => store.inbox.receive(delivery(report('pending', { paymentId })))

  it('loses nothing that was acknowledged when it is killed under load, and is used again once it is back', async () => {
    const acknowledged: string[] = []
    for (let round = 0; round < KILLS; round += 1) {
      const { refused, errors } = await receiveAndKill(`kill-${round}`, acknowledged)
      expect(refused.length).toBeGreaterThan(0)
      expect(errors.filter((error) => !(error instanceof StoreFailure))).toEqual([])
      await own.start()
      const repeats = await Promise.all(refused.map(receive))
      acknowledged.push(...refused)
      expect(repeats.every(({ disposition }) => disposition === 'APPLIED')).toBe(true)
      const stored = await idsOf(`SELECT subject_id AS id FROM deliveries`)
      expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([])
      // One event each, whether or not the first attempt had been committed.
      const told = await idsOf(`SELECT substr(stream_id, 9) AS id FROM events WHERE stream_id LIKE 'payment:kill-%'`)
      expect(told).toHaveLength(acknowledged.length)
      expect(new Set(told)).toEqual(new Set(acknowledged))
    }
  }, 600_000)

  /** Receives from 16 concurrent senders until the server, killed meanwhile, rejects. Returns the rejected payments, and their errors. */
  async function receiveAndKill(run: string, acknowledged: string[]) {
    const refused: string[] = []
    const errors: unknown[] = []
    const start = acknowledged.length
    const killed = Promise.withResolvers<void>()
    let kill: (() => Promise<void>) | null = null
    let killing = false
    let next = 0
    const send = async (): Promise<void> => {
      // Payments of one commit are answered together: all of them can succeed when the server dies, and then each sender sends once more.
      while (refused.length === 0) {
        const id = `${run}-${next++}`
        try {
          await receive(id)
          acknowledged.push(id)
        } catch (error) {
          errors.push(error)
          refused.push(id)
        }
        if (acknowledged.length - start === 20) kill ??= own.aim()
        if (acknowledged.length - start < 40 || killing || kill === null) continue
        killing = true
        kill().then(killed.resolve, killed.reject)
      }
    }
    await Promise.all([killed.promise, ...Array.from({ length: 16 }, send)])
    return { refused, errors }
  }

  async function idsOf(query: string): Promise<unknown[]> {
    return (await database.run(query)).map(({ id }) => id)
  }

  it('keeps nobody waiting while it hangs, and is used again when it goes on', async () => {
    await receive('before')
    own.pause()
    const lost = Array.from({ length: 200 }, (_, n) => receive(`hung-${n}`))
    const answers = await Promise.allSettled([...lost, store.ping(), store.payments.byIds(['before'])])
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
    own.resume()
    await Promise.all(Array.from({ length: 200 }, (_, n) => receive(`hung-${n}`)))
    expect(await store.payments.byIds(['before', 'hung-0', 'hung-199'])).toHaveLength(3)
    expect(await idsOf(`SELECT stream_id AS id FROM events WHERE stream_id LIKE 'payment:hung-%'`)).toHaveLength(200)
  })

  it('closes the store while it hangs', async () => {
    await receive('open')
    await store.ping()
    own.pause()
    await expect(store.close()).resolves.toBeUndefined()
    own.resume()
  })

  it('stops a start while it is a replica, or is not there', async () => {
    await own.stop()
    const open = () => openPostgresStore({ url: database.url })
    await expect(open()).rejects.toThrow(/does not answer.*\(ECONNREFUSED\)/)
    own.asReplica(true)
    await own.start()
    await expect(open()).rejects.toThrow(/read-only replica/)
    await expect(receive('replica')).rejects.toMatchObject({ name: 'StoreFailure', reason: 'READ_ONLY' })
    await own.stop()
    own.asReplica(false)
    await own.start()
    expect(await receive('replica')).toMatchObject({ repeat: false })
  })
})
