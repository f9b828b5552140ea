import { describe, expect, it } from 'vitest'
import {
  type ComparedEntry,
  emptyReport,
  MOST_IDS,
  type PartReport,
  reconciledTotals,
  withAbsent,
  withEntry,
} from '../../../../src/domain/imports/import-report.ts'

const amounts = (currency: string, amount: string, paid: string | null = null) => ({
  currency,
  amount,
  paid,
  refunded: null,
})

function entry(over: Partial<ComparedEntry>): ComparedEntry {
  return { id: 'P1', outcome: 'EQUAL', theirs: null, ours: null, ...over }
}

const filled = (part: Pick<PartReport, 'site' | 'list'>, entries: readonly Partial<ComparedEntry>[]) =>
  entries.map(entry).reduce(withEntry, emptyReport(part))

describe('the report of a list', () => {
  it('counts every entry by its outcome, and names the first fifty', () => {
    const added = Array.from({ length: MOST_IDS + 3 }, (_, index) => ({ id: `A${index}`, outcome: 'ADDED' as const }))
    const report = filled({ site: 'au', list: 'PAYINS' }, [
      ...added,
      { id: 'D1', outcome: 'DIFFERED' },
      { id: 'O1', outcome: 'PASSED_OVER' },
      {},
    ])
    expect(report).toMatchObject({
      listed: MOST_IDS + 6,
      added: MOST_IDS + 3,
      differed: 1,
      passedOver: 1,
      equal: 1,
      differedIds: ['D1'],
    })
    expect(report.addedIds).toEqual(added.slice(0, MOST_IDS).map(({ id }) => id))
    expect(withAbsent(report, { id: 'X', ours: null })).toMatchObject({
      absent: 1,
      absentIds: ['X'],
      listed: MOST_IDS + 6,
    })
  })

  it('adds exactly, whatever a float would make of it', () => {
    const many = Array.from({ length: 10 }, () => ({ theirs: amounts('AUD', '0.1', '0.01') }))
    const { totals } = filled({ site: 'au', list: 'LINKS' }, many)
    expect(totals).toMatchObject([{ currency: 'AUD', theirs: { count: 10, amount: '1.0', paid: '0.10' } }])
  })
})

describe('theirs beside ours', () => {
  it('joins links and payins, leaves agreements out, and ends with all sites', () => {
    const reports = [
      filled({ site: 'au', list: 'LINKS' }, [{ theirs: amounts('AUD', '10.00'), ours: amounts('AUD', '10.00') }]),
      filled({ site: 'au', list: 'PAYINS' }, [{ theirs: amounts('AUD', '5') }]),
      filled({ site: 'au', list: 'AGREEMENTS' }, [{ outcome: 'ADDED' }]),
      withAbsent(filled({ site: 'au', list: 'PAYOUTS' }, []), { id: 'X', ours: amounts('AUD', '7.25') }),
      filled({ site: 'kr', list: 'PAYINS' }, [{ theirs: amounts('AUD', '1'), ours: amounts('AUD', '2') }]),
    ]
    const told = reconciledTotals(reports).map(
      ({ site, kind, currency, difference: { count, amount } }) => `${site} ${kind} ${currency} ${count} ${amount}`,
    )
    expect(told).toEqual([
      'au PAYMENTS AUD 1 5.00',
      'au PAYOUTS AUD -1 -7.25',
      'kr PAYMENTS AUD 0 -1',
      'null PAYMENTS AUD 1 4.00',
      'null PAYOUTS AUD -1 -7.25',
    ])
  })

  it('is empty where nothing was listed', () => {
    expect(reconciledTotals([emptyReport({ site: 'au', list: 'LINKS' })])).toEqual([])
  })
})
