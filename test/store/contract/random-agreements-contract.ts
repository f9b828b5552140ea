import { type Arbitrary, constantFrom, nat, record } from 'fast-check'
import { expect, it } from 'vitest'
import { AGREEMENT_STATUSES } from '../../../src/domain/agreements/agreement-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import type { AgreementReadSubject } from '../../../src/store/port.ts'
import { nextDue } from '../../support/due-reads.ts'
import { after, agreementCommand, agreementOf, agreementReport, callback, command, events, MINUTE } from './builders.ts'
import { failingHistory, type RandomHistories } from './random-history.ts'
import type { Fixture, OpenStore } from './store-contract.ts'

/** One step of a history: a callback, the answer to a creation or to a change, or a read that is sent or answered. */
type Step = {
  readonly act: 'call back' | 'settle' | 'change' | 'take' | 'answer'
  readonly status: string
  readonly limit: string
  readonly bytes: number
}

const step: Arbitrary<Step> = record({
  act: constantFrom('call back', 'call back', 'call back', 'settle', 'change', 'take', 'answer'),
  status: constantFrom(...AGREEMENT_STATUSES, 'quite_new'),
  limit: constantFrom('100.00', '100', '250.00'),
  bytes: nat(1),
})

export function randomAgreementsContract(fixture: Fixture, open: OpenStore): void {
  it('never lets a version fall, a sequence skip, or a cancelled agreement come back', async () => {
    const histories: RandomHistories<Step> = {
      step,
      longest: 25,
      async begin(store) {
        const { command: created } = await store.commands.begin(agreementCommand('agr'))
        const sent: { subject: AgreementReadSubject | null } = { subject: null }
        return (next, index) => playStep(store, next, { sent, id: created.id, index })
      },
      examine,
    }
    expect(await failingHistory({ fixture, open }, histories)).toBeNull()
  })
}

async function playStep(
  store: Store,
  { act, status, limit, bytes }: Step,
  { sent, id, index }: { sent: { subject: AgreementReadSubject | null }; id: string; index: number },
): Promise<void> {
  const at = after(index * MINUTE)
  const said = agreementReport(status, { limit })
  if (act === 'call back') {
    await store.inbox.receiveAgreement(callback(said, { bytes: `${bytes}`, receivedAt: at }))
  } else if (act === 'settle') {
    await store.commands.settleWithAgreement(id, { ref: 'agr', site: 'au', report: said, at })
  } else if (act === 'change' && (await store.agreements.byIds(['AGR1'])).length > 0) {
    const asked = command(`change-${index}`, { refKind: null, sentAt: after((index - 1) * MINUTE).getTime() })
    const { command: begun } = await store.commands.begin(asked)
    await store.commands.settleWithAgreementChange(begun.id, { agreementId: 'AGR1', report: said, at })
  } else if (act === 'take') {
    sent.subject = await store.agreementReads.subject('AGR1')
  } else if (act === 'answer' && sent.subject !== null) {
    await store.agreementReads.record(sent.subject, said, at, null)
  }
}

async function examine(store: Store): Promise<void> {
  const log = await events(store)
  let before: string | null = null
  for (const [index, event] of log.entries()) {
    expect(event.position).toBe(index + 1)
    expect(event.sequence).toBe(index + 1)
    expect(event.agreement?.version).toBe(event.sequence)
    expect(event.kind === 'AGREEMENT_CREATED').toBe(index === 0)
    expect(event.fromStatus).toBe(before)
    expect(before === 'cancelled' && event.toStatus !== 'cancelled').toBe(false)
    before = event.toStatus
  }
  if (log.length === 0) return
  const agreement = await agreementOf(store)
  expect(agreement).toMatchObject({ statusRaw: before, version: log.length })
  // For every doubtful agreement a read is planned that ends the doubt.
  expect(agreement.provisional && (await nextDue(store, 'agreement')) === null).toBe(false)
}
