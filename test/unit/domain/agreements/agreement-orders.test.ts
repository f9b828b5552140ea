import { expect, it } from 'vitest'
import type { PaymentAgreementStatus } from '../../../../src/domain/agreements/agreement-report.ts'
import {
  type Agreement,
  decideAgreementCallback,
  decideAgreementRead,
} from '../../../../src/domain/agreements/agreement.ts'
import { agreementReport, decided } from '../agreements.ts'
import { allWrongEnds, type Kind, wrongEnds } from '../orders.ts'

/** The statuses that can follow each status at the payments API. */
const NEXT: Readonly<Record<PaymentAgreementStatus, readonly PaymentAgreementStatus[]>> = {
  created: ['active', 'failed', 'cancelled'],
  active: ['suspended', 'cancelled', 'failed'],
  suspended: ['active', 'cancelled'],
  cancelled: [],
  failed: [],
}

type Sent = { readonly status: PaymentAgreementStatus; readonly limit: string }

const said = ({ status, limit }: Sent) => agreementReport(status, { limit })

const AGREEMENTS: Kind<Sent, Agreement> = {
  first: { status: 'created', limit: '100' },
  /** The limit is amended together with a status or under the same status. */
  next: (last) =>
    [...NEXT[last.status], ...(last.status === 'active' ? [last.status] : [])]
      .flatMap((status) => ['100', '250'].map((limit) => ({ status, limit })))
      .filter(({ status, limit }) => status !== last.status || limit !== last.limit),
  receive(state, sent, repeat) {
    const decision = decideAgreementCallback(state, said(sent), repeat)
    return { state: decided(state, decision), confirm: decision.confirm }
  },
  read: (state, sent) => decided(state, decideAgreementRead(state, said(sent))),
  shows: (state, { status, limit }) => state?.status === status && state.limit === limit && !state.provisional,
  keyOf: ({ status, limit, seen, provisional }) => `${status} ${limit} ${seen.toSorted().join()} ${provisional}`,
}

it.each([
  { length: 3, repeats: 3 },
  { length: 4, repeats: 1 },
])(
  'every order of every history of $length callbacks, $repeats repeats, ends with the truth',
  ({ length, repeats }) => {
    const { moments, wrong } = allWrongEnds(AGREEMENTS, length, repeats)
    expect(wrong.slice(0, 5)).toEqual([])
    expect(moments).toBeGreaterThan(1_000)
  },
)

it('goes on and off as the merchant likes, and shows where it ended', () => {
  const flips = ['created', 'active', 'suspended', 'active', 'suspended', 'active'] as const
  const history = flips.map((status) => ({ status, limit: '100' }))
  expect(wrongEnds(AGREEMENTS, history, 1).wrong).toEqual([])
})
