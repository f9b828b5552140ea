import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { type PeriodicTask, systemTimer } from '../../../src/lib/timers.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import {
  type ArchiveFolder,
  createArchiveFolder,
  type RetentionOptions,
  startRetention,
} from '../../../src/retention/retention.ts'
import { delivery, NOW, report, settledLink } from './builders.ts'
import type { OpenedStore, OpenStore } from './store-contract.ts'

const FEBRUARY = new Date('2030-02-03T00:00:00Z')
const MARCH = new Date('2030-03-03T00:00:00Z')
/** Forty days before it ends January, and no later month. */
const MARCH_15 = new Date('2030-03-15T00:00:00Z')
const DAYS = { eventsDays: 40, deliveriesDays: 40, deliveryKeysDays: 400 }

/** Tests that a store archives and prunes months, on databases that are used once. */
export function describeRetention(name: string, open: OpenStore): void {
  describe(`retention on ${name}`, () => {
    let opened: OpenedStore
    let store: Store
    let now = NOW
    let path: string
    let folder: ArchiveFolder
    const running: PeriodicTask[] = []

    beforeEach(async () => {
      now = NOW
      opened = await open(() => now)
      store = opened.store
      path = await mkdtemp(join(tmpdir(), 'payments-archive-'))
      folder = createArchiveFolder(path)
    })

    afterEach(async () => {
      for (const retention of running.splice(0)) await retention.close()
      await opened.destroy()
      await rm(path, { recursive: true })
    })

    const start = (options: Partial<RetentionOptions> = {}): PeriodicTask => {
      const retention = startRetention({
        store: store.retention,
        settings: DAYS,
        folder,
        logger: createLogger({ level: 'silent' }),
        clock: () => now,
        timer: systemTimer,
        isLeader: () => true,
        onArchived: () => {},
        ...options,
      })
      running.push(retention)
      return retention
    }

    const receive = (status: string, paymentId: string, at: Date) => {
      now = at
      return store.inbox.receive(delivery(report(status, { paymentId }), { receivedAt: at }))
    }

    /** Returns the rows of the archived files of a kind, in the order of their names. */
    const archived = async (kind: 'events' | 'deliveries') => {
      const files = (await readdir(path)).filter((file) => file.startsWith(kind)).toSorted()
      const texts = await Promise.all(
        files.map(async (file) => gunzipSync(await readFile(join(path, file))).toString()),
      )
      return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as { id: string })
    }

    it('archives a month that is old enough, and keeps the months after it', async () => {
      await settledLink(store, 'a')
      await receive('pending', 'P1', NOW)
      await receive('received', 'P1', FEBRUARY)
      await receive('pending', 'P2', MARCH)
      const before = (await store.log.read(0, 100)).events
      now = MARCH_15
      await start().run()

      expect(await archived('events')).toEqual(JSON.parse(JSON.stringify(before.slice(0, 2))))
      expect(await archived('deliveries')).toMatchObject([{ subjectId: 'P1', statusRaw: 'pending' }])
      expect((await readdir(path)).toSorted()).toEqual([
        'deliveries-000000000001-000000000001.ndjson.gz',
        'events-000000000001-000000000002.ndjson.gz',
      ])
      expect((await store.log.read(0, 100)).events).toEqual(before.slice(2))
      expect(await store.log.horizon()).toBe(2)
      expect(await store.log.head()).toBe(4)
      expect((await store.inbox.page({ limit: 10, before: null }, {})).rows).toMatchObject([
        { subjectId: 'P2' },
        { subjectId: 'P1', statusRaw: 'received' },
      ])
      expect(await store.payments.byIds(['P1', 'P2'])).toHaveLength(2)
      expect(await store.links.byIds(['LINK-a'])).toHaveLength(1)
    })

    it('prunes nothing that is too young, and nothing without a setting', async () => {
      await receive('pending', 'P1', NOW)
      now = new Date('2030-03-11T00:00:00Z')
      await start().run()
      now = MARCH_15
      await start({ settings: { ...DAYS, eventsDays: null, deliveriesDays: null } }).run()
      await start({ isLeader: () => false }).run()
      expect(await readdir(path)).toEqual([])
      expect((await store.log.read(0, 100)).events).toHaveLength(1)
    })

    it('recognises repeats of pruned deliveries, and does not use an event id twice', async () => {
      await receive('pending', 'P1', NOW)
      now = MARCH_15
      await start().run()
      expect((await store.log.read(0, 100)).events).toEqual([])
      const repeat = delivery(report('pending', { paymentId: 'P1' }), { receivedAt: MARCH_15 })
      expect(await store.inbox.receive(repeat)).toMatchObject({ disposition: 'APPLIED', repeat: true })
      expect((await store.inbox.page({ limit: 10, before: null }, {})).rows).toEqual([])
      await receive('received', 'P1', MARCH_15)
      expect((await store.log.read(0, 100)).events).toMatchObject([{ id: 'payment:P1.2', sequence: 2, position: 2 }])
    })

    it('forgets the keys of deliveries when they are as old as the setting says', async () => {
      await receive('pending', 'P1', NOW)
      now = MARCH_15
      await start().run()
      now = new Date('2031-02-06T03:00:00Z')
      await start().run()
      const again = () => store.inbox.receive(delivery(report('pending', { paymentId: 'P1' }), { receivedAt: now }))
      expect(await again()).toMatchObject({ repeat: true })
      now = new Date('2031-02-06T04:00:00Z')
      await start().run()
      expect(await again()).toMatchObject({ repeat: false })
    })

    it('goes on after it was interrupted, and archives every row once', async () => {
      for (let n = 0; n < 30; n += 1) await receive('pending', `P${n}`, NOW)
      now = MARCH_15
      let steps = 0
      // Stops after the first file of events.
      const interrupted = start({ rowsPerFile: 10, isLeader: () => (steps += 1) < 12 })
      await interrupted.run()
      expect((await archived('events')).length + (await archived('deliveries')).length).toBeLessThan(60)
      expect((await store.log.read(0, 100)).events).not.toEqual([])
      store = await opened.reopen()
      await start({ rowsPerFile: 10 }).run()
      const ids = (await archived('events')).map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toHaveLength(30)
      expect(await archived('deliveries')).toHaveLength(30)
      expect((await store.log.read(0, 100)).events).toEqual([])
      expect(await store.log.horizon()).toBe(30)
    })

    it('prunes more rows than one transaction takes, while others write', async () => {
      await Promise.all(Array.from({ length: 450 }, (_, n) => receive('pending', `P${n}`, NOW)))
      now = MARCH_15
      const pruning = start().run()
      for (let n = 0; n < 20; n += 1) await receive('pending', `Q${n}`, MARCH_15)
      await pruning
      expect(await archived('events')).toHaveLength(450)
      expect((await store.log.read(0, 1000)).events.map(({ payment }) => payment?.id)).toEqual(
        Array.from({ length: 20 }, (_, n) => `Q${n}`),
      )
    })

    it('discards without a folder', async () => {
      await receive('pending', 'P1', NOW)
      now = MARCH_15
      await start({ folder: null }).run()
      expect((await store.log.read(0, 100)).events).toEqual([])
    })

    it('prunes nothing when the archive cannot be written', async () => {
      await receive('pending', 'P1', NOW)
      now = MARCH_15
      await start({ folder: createArchiveFolder(join(path, 'missing')) }).run()
      expect((await store.log.read(0, 100)).events).toHaveLength(1)
      await start().run()
      expect(await archived('events')).toHaveLength(1)
    })
  })
}
