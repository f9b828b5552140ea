import { expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { seeded } from '../../faults/seed.ts'
import { after, delivery, MINUTE, NOW, present, report, settledLink } from './builders.ts'
import { found, importing, LINKS, PAYINS } from './import-builders.ts'
import type { Fixture } from './store-contract.ts'

const PAYER = { name: 'Ada Payer', email: 'ada@example.test' }
const STATUSES = ['pending', 'pending', 'received', 'failed', 'expired', 'return_received']
const OBJECTS = 4

/** Tests imports and webhooks of payments whose payer is erased meanwhile. */
export function erasedImportsContract(fixture: Fixture): void {
  const { store } = fixture
  const { begin, record } = importing(fixture)

  async function erase({ erasures }: Store): Promise<void> {
    const asked = { kind: 'EMAIL', value: PAYER.email, valueHash: 'hash', requestedBy: null, requestedAt: NOW } as const
    expect(await erasures.step((await erasures.begin(asked)).number, NOW)).toMatchObject({ doneAt: NOW.toISOString() })
  }

  it('imports unpaid links of a payer who was erased', async () => {
    const refs = ['a', 'b', 'c']
    for (const ref of refs) await settledLink(store, ref)
    await erase(store)
    const unpaid = refs.map((ref) =>
      found(report('pending', { paymentId: `LINK-${ref}`, payer: PAYER }), { ref, isLink: true, isPayerErased: true }),
    )
    expect(await record(await begin([LINKS]), unpaid, { list: 'LINKS' })).toMatchObject({ listed: 3, failed: 0 })
  })

  it('records whatever is listed and delivered around an erasure, and no payer who was erased', async () => {
    const random = seeded('erasures and imports')
    const statusOf = () => STATUSES[random.between(0, STATUSES.length - 1)] ?? ''
    for (let history = 0; history < fixture.histories; history += 1) {
      const objects = Array.from({ length: OBJECTS }, (_, at) => ({ ref: `${history}-${at}`, hasLink: at % 2 === 0 }))
      const erased = new Set<string>()
      let isErased = false
      let failed = 0
      for (const { ref, hasLink } of objects) if (hasLink) await settledLink(store, ref)
      const onRecord = async () => {
        const { payments } = store
        const known = await payments.byIds(objects.flatMap(({ ref }) => [`P-${ref}`, `LINK-${ref}`]))
        return { ids: known.map(({ id }) => id), payers: await payments.payers(known.map(({ id }) => id)) }
      }
      for (let step = 0; step < 12; step += 1) {
        const { ref, hasLink } = present(objects[random.between(0, OBJECTS - 1)])
        const before = await onRecord()
        const kind = random.between(0, 5)
        if (kind === 0) {
          await erase(store)
          isErased = true
          for (const id of before.payers.keys()) erased.add(id)
        } else if (kind === 1) fixture.current = await fixture.opened.reopen()
        else if (kind <= 3) {
          const said = report(statusOf(), { paymentId: `P-${ref}`, payer: PAYER })
          const bytes = `${history} ${step}`
          await store.inbox.receive(delivery(said, { ref: hasLink ? ref : null, bytes, receivedAt: after(step) }))
        } else {
          const entries = objects
            .filter((object) => object.hasLink === hasLink)
            .map((object) => {
              const id = random.between(0, 1) === 0 && hasLink ? `LINK-${object.ref}` : `P-${object.ref}`
              const said = report(statusOf(), { paymentId: id, payer: PAYER })
              return found(said, { ref: hasLink ? object.ref : null, isLink: hasLink, isPayerErased: isErased })
            })
          const interval = {
            plan: { from: NOW.getTime() - MINUTE, to: NOW.getTime() + step, parts: [hasLink ? LINKS : PAYINS] },
          }
          const running = await begin(interval.plan.parts, interval)
          const told = await record(running, entries, { list: hasLink ? 'LINKS' : 'PAYINS' })
          failed += told.failed
          await store.imports.clear(running.number, NOW)
          const added = (await onRecord()).ids.filter((id) => !before.ids.includes(id))
          if (isErased) for (const id of added) erased.add(id)
        }
        expect([...(await store.payments.payers([...erased])).keys()]).toEqual([])
        expect(failed).toBe(0)
      }
    }
  })
}
