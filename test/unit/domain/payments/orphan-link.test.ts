import { describe, expect, it } from 'vitest'
import type { Command } from '../../../../src/domain/command.ts'
import { hasBecomePaid, isOrphan } from '../../../../src/domain/payments/attribution.ts'

const NOW = 1_000_000
const command: Command = {
  id: 'command-1',
  mutation: 'createPaymentLink',
  key: 'key-1',
  keyScope: 'caller-1',
  requestedBy: null,
  subjectId: null,
  fingerprint: 'f',
  state: 'SENT',
  attempt: 2,
  ref: 'second',
  owner: 'process-1',
  leaseUntil: NOW + 1,
  sentAt: NOW - 29_999,
  subjectDeliveries: null,
  subjectVersion: null,
  result: null,
}

describe('a link of which only the address is known', () => {
  it.each<[string, string, Partial<Command> | null, boolean]>([
    ['the attempt that is under way', 'second', {}, false],
    ['the attempt whose lease is over', 'second', { leaseUntil: NOW }, true],
    ['the attempt before it', 'first', {}, true],
    ['the last attempt, of which nobody knows the outcome', 'second', { state: 'UNKNOWN' }, true],
    ['a command that has another link', 'first', { state: 'SETTLED' }, true],
    ['a command that was refused', 'second', { state: 'REJECTED' }, true],
    ['a command that was forgotten', 'second', null, true],
  ])('of %s', (_what, ref, over, orphan) => {
    expect(isOrphan(ref, over === null ? null : { ...command, ...over }, NOW)).toBe(orphan)
  })
})

it.each([
  [null, 4, true],
  [null, 3, false],
  [3, 4, true],
  [0, 5, true],
  [4, 5, false],
  [2, 3, false],
])('money that was at rank %o has come with rank %i: %s', (before, after, come) => {
  expect(hasBecomePaid(before === null ? null : { rank: before }, { rank: after })).toBe(come)
})
