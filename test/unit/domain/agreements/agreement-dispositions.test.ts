import { describe, expect, it, test } from 'vitest'
import { AGREEMENT_STATUSES } from '../../../../src/domain/agreements/agreement-report.ts'
import {
  decideAgreementCallback,
  decideAgreementRead,
  type AgreementDecision,
} from '../../../../src/domain/agreements/agreement.ts'
import { agreementReport, givenAgreement } from '../agreements.ts'

/** Columns of every table below: the reported status. */
const INCOMING = ['created', 'active', 'suspended', 'cancelled', 'failed']

/** Statuses that were read of the agreement before, for each row. */
const HISTORIES: Readonly<Record<string, readonly string[]>> = {
  created: ['created'],
  active: ['created', 'active'],
  suspended: ['created', 'active', 'suspended'],
  'active again': ['created', 'active', 'suspended', 'active'],
  'suspended, never active': ['created', 'suspended'],
  cancelled: ['created', 'active', 'cancelled'],
  failed: ['created', 'failed'],
  'quite_new, after created': ['created', 'quite_new'],
  'quite_new, after active': ['created', 'active', 'quite_new'],
}

/** A: applied. C: applied, and a read is due. P: as C, and in doubt until the read. N: no change. S: stale. Q: stale, and a read is due. */
const FIRST_TIME = {
  created: 'N A C A C',
  active: 'S N C A P',
  suspended: 'S P N A P',
  'active again': 'S N P A P',
  'suspended, never active': 'S P N A P',
  cancelled: 'S S S N S',
  failed: 'S Q Q Q N',
  'quite_new, after created': 'Q P P A P',
  'quite_new, after active': 'Q P P A P',
}

/** N: no change. S: stale. Q: stale, and a read is due. R: no change, and in doubt until a read. */
const REPEATED = {
  created: 'N R R R R',
  active: 'S N R R R',
  suspended: 'S R N R R',
  'active again': 'S N R R R',
  'suspended, never active': 'S R N R R',
  cancelled: 'S S S N S',
  failed: 'S Q Q Q N',
  'quite_new, after created': 'Q R R R R',
  'quite_new, after active': 'Q R R R R',
}

/** A: applied, ends a doubt. S: stale, does not end a doubt. N: confirmed without a change, ends a doubt. */
const READ = {
  created: 'N A A A A',
  active: 'S N A A A',
  suspended: 'S A N A A',
  'active again': 'S N A A A',
  'suspended, never active': 'S A N A A',
  cancelled: 'S S S N S',
  failed: 'S A A A N',
  'quite_new, after created': 'A A A A A',
  'quite_new, after active': 'S A A A A',
}

type Row = { state: string; incoming: string; expected: string }

function rows(table: Readonly<Record<string, string>>): Row[] {
  return Object.entries(table).flatMap(([state, cells]) =>
    cells.split(' ').map((expected, column) => ({ state, incoming: INCOMING[column] ?? '', expected })),
  )
}

function given(state: string) {
  return givenAgreement(...(HISTORIES[state] ?? []))
}

function summary({ disposition, change, provisional, confirm }: AgreementDecision) {
  const changesTo = change?.kind === 'AGREEMENT_STATUS_CHANGED' ? change.statusRaw : (change?.kind ?? null)
  return { disposition, changesTo, provisional, confirm }
}

const quiet = { changesTo: null, provisional: null, confirm: false }
const stale = { ...quiet, disposition: 'STALE' }

test('the tables hold every pair of documented statuses', () => {
  expect(INCOMING.toSorted()).toEqual([...AGREEMENT_STATUSES].sort())
  for (const table of [FIRST_TIME, REPEATED, READ]) {
    expect(Object.keys(table)).toEqual(Object.keys(HISTORIES))
    expect(rows(table)).toHaveLength(9 * 5)
  }
})

describe('a callback that comes for the first time', () => {
  it.each(rows(FIRST_TIME))('$state, told $incoming: $expected', ({ state, incoming, expected }) => {
    const applied = { ...quiet, disposition: 'APPLIED', changesTo: incoming }
    const meaning: Record<string, object> = {
      A: applied,
      C: { ...applied, confirm: true },
      P: { ...applied, provisional: true, confirm: true },
      N: { ...quiet, disposition: 'NO_CHANGE' },
      S: stale,
      Q: { ...stale, confirm: true },
    }
    expect(summary(decideAgreementCallback(given(state), agreementReport(incoming), false))).toEqual(meaning[expected])
  })
})

describe('the same bytes again', () => {
  it.each(rows(REPEATED))('$state, told $incoming again: $expected', ({ state, incoming, expected }) => {
    const meaning: Record<string, object> = {
      N: { ...quiet, disposition: 'NO_CHANGE' },
      S: stale,
      Q: { ...stale, confirm: true },
      R: { disposition: 'NO_CHANGE', changesTo: null, provisional: true, confirm: true },
    }
    expect(summary(decideAgreementCallback(given(state), agreementReport(incoming), true))).toEqual(meaning[expected])
  })
})

describe('a read', () => {
  it.each(rows(READ))('$state, read as $incoming: $expected', ({ state, incoming, expected }) => {
    const meaning: Record<string, object> = {
      A: { disposition: 'APPLIED', changesTo: incoming, provisional: false, confirm: false },
      S: stale,
      N: { ...quiet, disposition: 'NO_CHANGE', provisional: false },
    }
    expect(summary(decideAgreementRead(given(state), agreementReport(incoming)))).toEqual(meaning[expected])
  })
})

describe('an agreement of which nothing is known', () => {
  it.each([
    ['created', false, false],
    ['active', false, true],
    ['suspended', false, true],
    ['cancelled', false, false],
    ['failed', false, true],
    ['quite_new', true, true],
  ])('is created by a callback that says %s', (status, provisional, confirm) => {
    const expected = { disposition: 'APPLIED', changesTo: 'AGREEMENT_CREATED', provisional, confirm }
    for (const repeat of [false, true])
      expect(summary(decideAgreementCallback(null, agreementReport(status), repeat))).toEqual(expected)
    expect(summary(decideAgreementRead(null, agreementReport(status)))).toEqual({
      ...expected,
      provisional: false,
      confirm: false,
    })
  })
})

describe('a status that this version does not know', () => {
  it.each(['created', 'active', 'suspended'])('is kept, in doubt, by one that is %s', (state) => {
    const decision = decideAgreementCallback(given(state), agreementReport('quite_new'), false)
    expect(summary(decision)).toEqual({
      disposition: 'APPLIED',
      changesTo: 'quite_new',
      provisional: true,
      confirm: true,
    })
    expect(decision.change?.status).toBeNull()
  })

  it('says nothing new the second time, whatever the bytes', () => {
    const state = given('quite_new, after active')
    for (const repeat of [false, true])
      expect(decideAgreementCallback(state, agreementReport('quite_new'), repeat).disposition).toBe('NO_CHANGE')
    expect(summary(decideAgreementCallback(state, agreementReport('newer_still'), false))).toMatchObject({
      changesTo: 'newer_still',
      provisional: true,
      confirm: true,
    })
  })

  it('asks for a read when it comes again after another', () => {
    expect(summary(decideAgreementCallback(given('active'), agreementReport('quite_new'), true))).toMatchObject({
      disposition: 'NO_CHANGE',
      provisional: true,
      confirm: true,
    })
  })

  it('does not move one that is over, unless a read says so of a failed one', () => {
    expect(summary(decideAgreementCallback(given('cancelled'), agreementReport('quite_new'), false))).toEqual(stale)
    expect(summary(decideAgreementRead(given('cancelled'), agreementReport('quite_new')))).toEqual(stale)
    expect(summary(decideAgreementCallback(given('failed'), agreementReport('quite_new'), false))).toEqual({
      ...stale,
      confirm: true,
    })
    expect(decideAgreementRead(given('failed'), agreementReport('quite_new')).disposition).toBe('APPLIED')
  })
})
