import { expect, it } from 'vitest'
import { holdsMoney } from '../../../src/domain/payments/payment.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { seeded } from '../../faults/seed.ts'
import { after, command, delivery, MINUTE, NOW, payin, present, report, settledLink } from './builders.ts'
import { found } from './import-builders.ts'
import type { Fixture } from './store-contract.ts'

/** A payment of an order; one without a link is a payin. */
type Paid = { readonly id: string; readonly ref: string; readonly hasLink: boolean }

type Decided = Paid & {
  readonly store: Store
  readonly status: string
  /** Differs at each decision. */
  readonly step: string
}

const PAYER = { name: 'Ada Payer', email: 'ada@example.test' }

const told = (id: string, status: string) => report(status, { paymentId: id, payer: PAYER })
const said = ({ id, status }: Decided) => told(id, status)
const subjectOf = async ({ store, id }: Decided) => present(await store.reads.subject(id))
const deliveryOf = (decided: Decided) =>
  delivery(said(decided), { ref: decided.ref, bytes: decided.step, receivedAt: after(MINUTE) })

/** Every decision about a payment that is on record. */
const DECISIONS: Readonly<Record<string, (decided: Decided) => Promise<unknown>>> = {
  webhook: (decided) => decided.store.inbox.receive(deliveryOf(decided)),
  async repeat(decided) {
    await decided.store.inbox.receive(deliveryOf(decided))
    await decided.store.inbox.receive(deliveryOf(decided))
  },
  async replay(decided) {
    const { inbox } = decided.store
    await inbox.receive(deliveryOf(decided))
    const [newest] = (await inbox.page({ limit: 1, before: null }, {})).rows
    const parse = { payment: () => said(decided), agreement: () => null }
    await inbox.replay({ id: present(newest).id, at: after(MINUTE), apply: true, parse })
  },
  read: async (decided) => decided.store.reads.record(await subjectOf(decided), said(decided), after(MINUTE), null),
  postponed: async (decided) => decided.store.reads.postpone(await subjectOf(decided), after(MINUTE), null),
  scheduled: ({ store, id }) => store.reads.schedule(id, { at: NOW.getTime(), readClass: 'doubt' }),
  async refund(decided) {
    const { store, id, step } = decided
    const asked = command(`refund-${step}`, { mutation: 'refundPayment', refKind: null, subject: { paymentId: id } })
    const begun = (await store.commands.begin(asked)).command
    const terms = { paymentId: id, refund: { amount: null, reason: 'returned' } }
    await store.commands.settleWithPayment(begun.id, { ...terms, report: said(decided), at: after(MINUTE) })
  },
  unreadable: async ({ store, id, step }) => {
    const begun = (await store.commands.begin(command(`other-${step}`, { refKind: null, subject: { paymentId: id } })))
      .command
    await store.commands.settleWithPayment(begun.id, { paymentId: id, report: null, at: after(MINUTE) })
  },
  dismissed: ({ store, id }) => store.commands.dismissDuplicate(id, after(MINUTE)),
  imported: (decided) => decided.store.imports.recordFound(found(said(decided), { ref: decided.ref }), after(MINUTE)),
}

/** An order remembers its first payments. */
const REMEMBERED = 4

const STATUSES = ['return_received', 'return_received', 'received', 'partially_refunded', 'dispute_lost', 'failed']

/** Tests decisions about orders with many payments, of which nothing is in memory. */
export function coldOrdersContract(fixture: Fixture): void {
  const { store } = fixture
  const order = (reference: string) => ({ reference, ownerId: 'ada' })
  const receive = ({ id, ref }: Paid) =>
    store.inbox.receive(delivery(told(id, 'received'), { ref, receivedAt: after(MINUTE) }))

  /** Records the paid link, or payin, of an order; `isLate`: its webhook comes before its answer. */
  async function pay(reference: string, paid: Paid, isLate: boolean): Promise<void> {
    const { ref, id, hasLink } = paid
    if (hasLink) {
      if (isLate) await store.commands.begin(command(ref))
      if (isLate) await receive(paid)
      await settledLink(store, ref, order(reference))
      if (!isLate) await receive(paid)
      return
    }
    const { command: begun } = await store.commands.begin(command(ref, { mutation: 'createPayin', refKind: 'payin' }))
    if (isLate) await receive(paid)
    const made = payin(ref, { paymentId: id, ...order(reference) })
    await store.commands.settleWithPayin(begun.id, { payin: made, report: told(id, 'pending'), at: NOW })
    if (!isLate) await receive(paid)
  }

  async function unresolved(paid: readonly Paid[]) {
    const ids = paid.map(({ id }) => id)
    const held = (await store.payments.byIds(ids)).filter(holdsMoney).map(({ id }) => id)
    const duplicates = [...(await store.payments.duplicates(ids)).values()]
    return { held, open: duplicates.filter(({ resolvedAt }) => resolvedAt === null) }
  }

  it('takes every decision about the first of 1 to 20 payments, with links, payins or both', async () => {
    const random = seeded('cold orders')
    for (let history = 0; history < fixture.histories; history += 1) {
      const orders = Object.keys(DECISIONS).map((name) => {
        const payins = random.between(0, 2)
        const paid = Array.from({ length: random.between(1, 20) }, (_, at) => {
          const id = `${name}-${history}-${at}`
          return { id: `P-${id}`, ref: id, hasLink: payins === 0 || random.between(1, 2) !== payins }
        })
        return { name, paid, status: STATUSES[random.between(0, STATUSES.length - 1)] ?? '' }
      })
      for (const { name, paid } of orders) {
        const made = (one: Paid) => pay(`${name}-${history}`, one, random.between(0, 3) === 0)
        await made(present(paid[0]))
        await Promise.all(paid.slice(1).map(made))
      }
      fixture.current = await fixture.opened.reopen()
      for (const { name, paid, status } of orders) {
        await present(DECISIONS[name])({ ...present(paid[0]), store, status, step: `${name}-${history}` })
        const { held, open } = await unresolved(paid)
        if (paid.length > REMEMBERED || name === 'dismissed') continue
        expect(open).toHaveLength(Math.max(0, held.length - 1))
        expect(held).toEqual(expect.arrayContaining(open.map(({ otherId }) => otherId)))
      }
    }
  })
}
