import { describe, expect, it } from 'vitest'
import { isThisRefund } from '../../../../src/domain/payments/refund-rules.ts'
import { report } from '../../../store/contract/builders.ts'

const state = (status: string, refunded: string | null = null) => report(status, { details: { refunded } })
const said = (status: string, refunded: string | null, refundDescription: string | null) => ({
  ...state(status, refunded),
  refundDescription,
})

const OURS = { amount: '10', description: 'Changed their mind' }
const paid = { before: state('received'), since: [] }
const partly = { before: state('partially_refunded', '10'), since: [] }

describe('a refund that a payment shows', () => {
  it('is ours when it names our reason and our amount', () => {
    expect(isThisRefund(OURS, { ...paid, report: said('return_pending', '10', OURS.description) })).toBe(true)
    expect(isThisRefund(OURS, { ...paid, report: said('return_pending', null, ` ${OURS.description} `) })).toBe(true)
    expect(isThisRefund(OURS, { ...paid, report: said('partially_refunded', '10.00', OURS.description) })).toBe(true)
    const all = { ...OURS, amount: null }
    expect(isThisRefund(all, { ...paid, report: said('return_received', '125.5', OURS.description) })).toBe(true)
  })

  it('is ours when only the total has changed', () => {
    expect(isThisRefund(OURS, { ...partly, report: said('partially_refunded', '20', OURS.description) })).toBe(true)
  })

  it('is ours when its webhooks have come already', () => {
    const since = [state('return_pending', '10'), state('return_rejected', null)]
    expect(isThisRefund(OURS, { ...paid, since, report: said('return_rejected', null, OURS.description) })).toBe(true)
  })

  it.each([
    ['of another reason', said('return_pending', '10', 'Duplicate order')],
    ['of no reason', said('return_pending', '10', null)],
    ['of another amount', said('partially_refunded', '12', OURS.description)],
    ['of twice our amount', said('partially_refunded', '20', OURS.description)],
    ['of which nothing was paid out', said('partially_refunded', '0', OURS.description)],
    ['that there is none of', said('received', null, null)],
  ])('%s is not taken for ours', (_name, shown) => {
    expect(isThisRefund(OURS, { ...paid, report: shown })).toBe(false)
  })

  it('is an earlier one when nothing has moved', () => {
    expect(isThisRefund(OURS, { ...partly, report: said('partially_refunded', '10', OURS.description) })).toBe(false)
    const rejected = { before: state('return_rejected'), since: [] }
    expect(isThisRefund(OURS, { ...rejected, report: said('return_rejected', null, OURS.description) })).toBe(false)
  })
})
