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

function given(state: string) {
  return givenAgreement(...(HISTORIES[state] ?? []))
}

function summary({ disposition, change, provisional, confirm }: AgreementDecision) {
  const changesTo = change?.kind === 'AGREEMENT_STATUS_CHANGED' ? change.statusRaw : (change?.kind ?? null)
  return { disposition, changesTo, provisional, confirm }
}

const quiet = { changesTo: null, provisional: null, confirm: false }
const stale = { ...quiet, disposition: 'STALE' }

const applied = { disposition: 'APPLIED', provisional: null, confirm: false }
const unchanged = { ...quiet, disposition: 'NO_CHANGE' }

type Meanings = Readonly<Record<string, object>>

const CALLBACK: Meanings = {
  A: applied,
  C: { ...applied, confirm: true },
  P: { ...applied, provisional: true, confirm: true },
  N: unchanged,
  S: stale,
  Q: { ...stale, confirm: true },
  R: { ...unchanged, provisional: true, confirm: true },
}

test('the tables hold every pair of documented statuses', () => {
  expect(INCOMING.toSorted()).toEqual([...AGREEMENT_STATUSES].sort())
  for (const table of [FIRST_TIME, REPEATED, READ]) expect(Object.keys(table)).toEqual(Object.keys(HISTORIES))
})

it.each<[string, Readonly<Record<string, string>>, Meanings, typeof decideAgreementRead]>([
  ['a callback', FIRST_TIME, CALLBACK, (state, said) => decideAgreementCallback(state, said, false)],
  ['the same bytes again', REPEATED, CALLBACK, (state, said) => decideAgreementCallback(state, said, true)],
  [
    'a read',
    READ,
    { A: { ...applied, provisional: false }, S: stale, N: { ...unchanged, provisional: false } },
    decideAgreementRead,
  ],
])('%s means what the table says', (_what, table, meanings, decide) => {
  for (const [state, marks] of Object.entries(table)) {
    const letters = marks.split(' ')
    const decided = INCOMING.map((incoming) => summary(decide(given(state), agreementReport(incoming))))
    expect([state, decided]).toMatchObject([state, letters.map((letter) => meanings[letter])])
    const changes = INCOMING.map((incoming, column) => ('ACP'.includes(letters[column] ?? '-') ? incoming : null))
    expect([state, decided.map(({ changesTo }) => changesTo)]).toEqual([state, changes])
  }
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
