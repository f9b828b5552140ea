import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  AGREEMENT_STATUSES,
  REQUESTED_AGREEMENT_STATUSES,
  type AgreementReport,
} from '../../../../src/domain/agreements/agreement-report.ts'
import {
  agreementStreamId,
  canAmend,
  canChangeStatus,
  decideAgreementCallback,
  decideAgreementRead,
  evolveAgreement,
} from '../../../../src/domain/agreements/agreement.ts'
import { parseEventId } from '../../../../src/domain/events/payment-event.ts'
import { agreementReport, AT, NEW_AGREEMENT, decided, givenAgreement } from '../agreements.ts'

const ACTIVE = givenAgreement('created', 'active')

function told(parts: Partial<AgreementReport>, repeat = false) {
  return decideAgreementCallback(ACTIVE, agreementReport('active', parts), repeat)
}

describe('other facts under the same status', () => {
  it.each([
    ['limit', '250.50'],
    ['description', 'Gym and pool'],
    ['reference', 'member-7'],
    ['amountRule', 'FIXED'],
    ['startDate', '2030-03-01'],
  ] as const)('amend the agreement when %s becomes %s', (name, value) => {
    const decision = told({ [name]: value })
    expect(decision).toMatchObject({ disposition: 'APPLIED', change: { kind: 'AGREEMENT_AMENDED', status: 'active' } })
    expect(decision.change?.facts).toEqual({ ...factsOf(ACTIVE), [name]: value })
    const replaced = name !== 'reference'
    expect(decision).toMatchObject({ provisional: replaced ? true : null, confirm: replaced })
    expect(decideAgreementRead(ACTIVE, agreementReport('active', { [name]: value }))).toMatchObject({
      disposition: 'APPLIED',
      change: { kind: 'AGREEMENT_AMENDED' },
      provisional: false,
      confirm: false,
    })
  })

  it('keep the answer to the last amendment, and are none in an agreement from before it was read', () => {
    expect(ACTIVE.amendmentStatusRaw).toBeUndefined()
    expect(told({ amendmentStatusRaw: null })).toMatchObject({ disposition: 'NO_CHANGE', change: null })
    const read = decideAgreementRead(ACTIVE, agreementReport('active', { amendmentStatusRaw: 'pending' }))
    expect(read.change?.facts.amendmentStatusRaw).toBe('pending')
    const amended = { ...ACTIVE, amendmentStatusRaw: 'pending' }
    const later = decideAgreementRead(amended, agreementReport('suspended', { amendmentStatusRaw: null }))
    expect(later.change?.facts.amendmentStatusRaw).toBe('pending')
  })

  it('take the purpose, and the frequency, with its own spelling, known or not', () => {
    expect(told({ purposeRaw: 'TAX', purpose: 'TAX' }).change?.facts).toMatchObject({
      purposeRaw: 'TAX',
      purpose: 'TAX',
    })
    expect(told({ purposeRaw: 'RENT', purpose: null }).change?.facts).toMatchObject({
      purposeRaw: 'RENT',
      purpose: null,
    })
    expect(told({ frequencyRaw: 'HOURLY', frequency: null }).change?.facts).toMatchObject({
      frequencyRaw: 'HOURLY',
      frequency: null,
    })
  })

  it('are none where only the spelling differs, or nothing is said', () => {
    for (const same of [
      {},
      { limit: '100.00' },
      { purposeRaw: 'DEPENDANT_SUPPORT' },
      { frequencyRaw: 'monthly' },
      { createdAt: '2030-01-01T00:00:01.000Z' },
      { limit: null, description: null, purposeRaw: null, purpose: null, frequencyRaw: null, frequency: null },
      { serviceId: null, clientTransactionId: null, amountRule: null, startDate: null, createdAt: null },
    ] satisfies Partial<AgreementReport>[]) {
      expect(told(same).disposition).toBe('NO_CHANGE')
      expect(told(same, true)).toEqual({ disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false })
    }
  })

  it('come with a new status as one event', () => {
    const { change } = decideAgreementCallback(ACTIVE, agreementReport('suspended', { limit: '50' }), false)
    expect(change).toMatchObject({ kind: 'AGREEMENT_STATUS_CHANGED', status: 'suspended', facts: { limit: '50' } })
  })

  it('are settled by a read when the very same bytes came before', () => {
    const amended = decided(ACTIVE, told({ limit: '250' }))
    const again = decideAgreementCallback(amended, agreementReport('active'), true)
    expect(again).toEqual({ disposition: 'NO_CHANGE', change: null, provisional: true, confirm: true })
  })

  it('leave what is known alone where the payments API says less', () => {
    const { change } = told({ description: 'Gym and pool', limit: null, startDate: null })
    expect(change?.facts).toMatchObject({ description: 'Gym and pool', limit: '100', startDate: '2030-02-01' })
  })
})

describe('a body that names other ids', () => {
  it.each([{ id: 'agreement-2' }, { serviceId: '124' }, { clientTransactionId: 'mandate-2' }])(
    'is doubtful in a callback, and no answer to a read: %o',
    (other) => {
      expect(decideAgreementCallback(ACTIVE, agreementReport('cancelled', other), false)).toEqual({
        disposition: 'DOUBTFUL',
        change: null,
        provisional: true,
        confirm: true,
      })
      expect(decideAgreementRead(ACTIVE, agreementReport('cancelled', other)).disposition).toBe('STALE')
    },
  )
})

describe('evolveAgreement', () => {
  it('makes an agreement of a birth, without the payer', () => {
    const payer = { name: 'Ada Payer', bsb: '062000', accountNumberMasked: '***78', payIdMasked: null, payIdType: null }
    const report = agreementReport('created', { payer, reference: 'member-7' })
    const { change } = decideAgreementCallback(null, report, false)
    if (change === null) throw new Error('nothing was created')
    const state = evolveAgreement(NEW_AGREEMENT, change, { sequence: 1, at: AT, provisional: false })
    const { payer: _, ...said } = report
    expect(state).toEqual({
      ...NEW_AGREEMENT,
      ...said,
      version: 1,
      seen: ['created'],
      provisional: false,
      updatedAt: AT,
    })
  })

  it('counts on, and remembers each status that it knows once', () => {
    const state = givenAgreement('created', 'active', 'quite_new', 'suspended', 'active')
    expect(state).toMatchObject({
      version: 5,
      status: 'active',
      statusRaw: 'active',
      seen: ['created', 'active', 'suspended'],
    })
    expect(givenAgreement('created', 'quite_new')).toMatchObject({
      status: null,
      statusRaw: 'quite_new',
      seen: ['created'],
    })
  })

  it('keeps the id, the stream, the site and the first instant of the agreement', () => {
    const later = givenAgreement('created', agreementReport('active', { createdAt: '2031-01-01T00:00:00.000Z' }))
    expect(later).toMatchObject({ ...NEW_AGREEMENT, createdAt: '2030-01-01T00:00:00.000Z' })
  })
})

describe('agreementStreamId', () => {
  it('gives streams whose events have readable ids', () => {
    expect(agreementStreamId('a_B-1')).toBe('agreement:a_B-1')
    expect(parseEventId(`${agreementStreamId('a_B-1')}.7`)).toEqual({ streamId: 'agreement:a_B-1', sequence: 7 })
  })
})

describe('what a merchant may ask for', () => {
  it.each([
    ['created', ['cancelled']],
    ['active', ['suspended', 'cancelled']],
    ['suspended', ['active', 'cancelled']],
    ['cancelled', []],
    ['failed', []],
    [null, ['active', 'suspended', 'cancelled']],
  ] as const)('from %s: %j', (from, allowed) => {
    expect(REQUESTED_AGREEMENT_STATUSES.filter((to) => canChangeStatus(from, to))).toEqual(allowed)
  })

  it('amendments are open until the agreement is over', () => {
    expect(AGREEMENT_STATUSES.filter(canAmend)).toEqual(['created', 'active', 'suspended'])
    expect(canAmend(null)).toBe(true)
  })
})

describe('whatever comes in', () => {
  const words = fc.constantFrom<string>(...AGREEMENT_STATUSES, 'quite_new')
  const said = fc.record({
    status: words,
    limit: fc.option(fc.constantFrom('100', '100.0', '250')),
    repeat: fc.boolean(),
    read: fc.boolean(),
  })

  it('a cancelled agreement stays cancelled, nothing goes back to created, and events come with a change alone', () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 12 }), (all) => {
        let state: ReturnType<typeof decided> = null
        for (const { status, limit, repeat, read } of all) {
          const report = agreementReport(status, { limit })
          const decision = read ? decideAgreementRead(state, report) : decideAgreementCallback(state, report, repeat)
          const next = decided(state, decision)
          expect(decision.change === null).toBe(decision.disposition !== 'APPLIED')
          const wasFurther = state?.seen.some((one) => one !== 'created') ?? false
          const wentBack = wasFurther && state?.status !== 'created' && next?.status === 'created'
          expect(wentBack || (state?.status === 'cancelled' && next?.status !== 'cancelled')).toBe(false)
          state = next
        }
      }),
      { numRuns: 500 },
    )
  })
})

function factsOf(state: typeof ACTIVE): object {
  const { serviceId, clientTransactionId, reference, description, limit, purposeRaw, purpose } = state
  const { amountRule, frequencyRaw, frequency, startDate, createdAt } = state
  const said = { serviceId, clientTransactionId, reference, description, limit, purposeRaw, purpose }
  return { ...said, amountRule, frequencyRaw, frequency, startDate, createdAt }
}
