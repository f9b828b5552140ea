import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareDecimals, sumDecimals } from '../../../../src/domain/money/money.ts'
import { type PaymentReport, type Refund, refundsOf } from '../../../../src/domain/payments/payment-report.ts'
import { decideRead, decideWebhook, type Decision, type Payment } from '../../../../src/domain/payments/payment.ts'
import { newSeed } from '../../../faults/random.ts'
import { report } from '../../../store/contract/builders.ts'
import { changed } from '../payments.ts'

/** A refund at the payments API: a share of what is left, in percent, and how it ends. */
const refund = fc.record({
  percent: fc.constantFrom(10, 25, 50, 100),
  end: fc.constantFrom('settled', 'settled', 'come back', 'return_rejected', 'return_expired'),
})

/** An arrival: a webhook of the history, which may be late or a repeat, or the answer to a read. */
const arrival = fc.record({ index: fc.nat(20), isRead: fc.boolean() })

const PAID = 100

/** Returns the states of a payment that was paid and refunded so, oldest first. The total is that of what was paid back. */
function historyOf(refunds: readonly { readonly percent: number; readonly end: string }[]): PaymentReport[] {
  const said = (status: string, total: number) =>
    report(status, { details: { amount: '100', paid: '100', refunded: total === 0 && !isBack ? null : String(total) } })
  let isBack = false
  const states = [said('pending', 0), said('received', 0)]
  let total = 0
  for (const { percent, end } of refunds) {
    const amount = Math.floor(((PAID - total) * percent) / 100)
    if (amount === 0) break
    states.push(said('return_pending', total))
    const isSettled = end === 'settled' || end === 'come back'
    if (isSettled) total += amount
    states.push(said(isSettled ? (total === PAID ? 'return_received' : 'partially_refunded') : end, total))
    if (end !== 'come back') continue
    total -= amount
    isBack = true
    states.push(said('return_rejected', total))
  }
  return states
}

/** A step of the stored payment, and its refunds after it. */
type Kept = { readonly payment: Payment | null; readonly steps: readonly (readonly Refund[])[] }

function record({ payment, steps }: Kept, { change, provisional }: Decision): Kept {
  const doubt = provisional ?? payment?.provisional ?? false
  const after = change === null ? payment && { ...payment, provisional: doubt } : changed(payment, change, doubt)
  return { payment: after, steps: after === null ? steps : [...steps, refundsOf(after)] }
}

/** Plays arrivals, then every webhook that has not come, and the read that ends all doubts. */
function played(states: readonly PaymentReport[], arrivals: readonly { index: number; isRead: boolean }[]): Kept {
  const seen = new Set<number>()
  const webhook = (kept: Kept, index: number): Kept => {
    const state = states[index % states.length]
    if (state === undefined) return kept
    const isRepeat = seen.has(index % states.length)
    seen.add(index % states.length)
    return record(kept, decideWebhook(kept.payment, state, isRepeat))
  }
  const read = (kept: Kept): Kept => {
    const last = states.at(-1)
    return last === undefined ? kept : record(kept, decideRead(kept.payment, last))
  }
  let kept: Kept = { payment: null, steps: [] }
  for (const { index, isRead } of arrivals) kept = isRead && kept.payment !== null ? read(kept) : webhook(kept, index)
  for (const index of states.keys()) if (!seen.has(index)) kept = webhook(kept, index)
  return read(kept)
}

const settledTotal = (refunds: readonly Refund[]): string =>
  sumDecimals(refunds.flatMap(({ state, amount }) => (state === 'SETTLED' && amount !== null ? [amount] : [])))

describe('refunds, in whatever order their webhooks come', () => {
  const seed = newSeed()
  const histories = fc.tuple(fc.array(refund, { maxLength: 4 }), fc.array(arrival, { maxLength: 15 }))
  const hold = (property: (states: readonly PaymentReport[], kept: Kept) => void) =>
    fc.assert(
      fc.property(histories, ([refunds, arrivals]) => {
        const states = historyOf(refunds)
        property(states, played(states, arrivals))
      }),
      { seed, numRuns: 500 },
    )

  it('never pay back more than was paid', () => {
    hold((_states, { steps }) => {
      for (const refunds of steps) expect(compareDecimals(settledTotal(refunds), String(PAID))).toBeLessThanOrEqual(0)
    })
  })

  it('move forward alone: one that came to nothing stays as it is, a settled one is not pending again, and none is lost', () => {
    hold((_states, { steps }) => {
      for (const [index, refunds] of steps.entries()) {
        const before = steps[index - 1] ?? []
        const after = before.map(({ number }) => refunds.find((other) => other.number === number)?.state)
        const mayChange = ({ state }: Refund, next = 'lost') =>
          state === 'PENDING' || (state === 'SETTLED' && next !== 'PENDING')
        expect(after).toEqual(
          before.map((known, n) => (mayChange(known, after[n]) ? (after[n] ?? 'lost') : known.state)),
        )
      }
    })
  })

  it('are as many as were made where each state is read', () => {
    hold((states) => {
      const start: Kept = { payment: null, steps: [] }
      const { payment } = states.reduce((kept, state) => record(kept, decideRead(kept.payment, state)), start)
      const made = states.filter(({ status }) => status === 'return_pending').length
      expect(payment === null ? 0 : refundsOf(payment).length).toBe(made)
    })
  })

  it('end with the status and the total of the payments API', () => {
    hold((states, { payment }) => {
      const last = states.at(-1)
      expect(payment).toMatchObject({ status: last?.status, provisional: false })
      expect(payment?.details.refunded ?? '0').toBe(last?.details.refunded ?? '0')
    })
  })
})
