import { AGREEMENT_STATUSES, type AgreementReport } from '../../../src/domain/agreements/agreement-report.ts'
import {
  agreementStreamId,
  decideAgreementRead,
  evolveAgreement,
  type Agreement,
  type NewAgreement,
  type AgreementDecision,
} from '../../../src/domain/agreements/agreement.ts'

export const NEW_AGREEMENT: NewAgreement = {
  id: 'agreement-1',
  ref: 'a',
  streamId: agreementStreamId('a'),
  site: 'au',
  ownerId: null,
}
export const AT = '2030-01-02T03:04:05.678Z'

/** Returns a report of the payments API about an agreement, by default of at most 100 AUD a month. */
export function agreementReport(statusRaw: string, parts: Partial<AgreementReport> = {}): AgreementReport {
  return {
    id: NEW_AGREEMENT.id,
    serviceId: '123',
    clientTransactionId: 'mandate-1',
    reference: null,
    description: 'Gym membership',
    limit: '100',
    purposeRaw: 'DEPENDANT SUPPORT',
    purpose: 'DEPENDANT_SUPPORT',
    amountRule: 'VARIABLE',
    frequencyRaw: 'MONTHLY',
    frequency: 'MONTHLY',
    startDate: '2030-02-01',
    createdAt: '2030-01-01T00:00:00.000Z',
    payer: { name: null, bsb: null, accountNumberMasked: null, payIdMasked: null, payIdType: null },
    ...parts,
    statusRaw,
    status: AGREEMENT_STATUSES.find((known) => known === statusRaw) ?? null,
  }
}

/** Returns the agreement after a decision; null if it is still unknown. */
export function decided(state: Agreement | null, { change, provisional }: AgreementDecision): Agreement | null {
  const doubt = provisional ?? state?.provisional ?? false
  if (change === null) return state === null ? null : { ...state, provisional: doubt }
  const sequence = (state?.version ?? 0) + 1
  return evolveAgreement(state ?? NEW_AGREEMENT, change, { sequence, at: AT, provisional: doubt })
}

/** Returns an agreement after reads with these statuses, in order. */
export function givenAgreement(...history: readonly (string | AgreementReport)[]): Agreement {
  const reports = history.map((said) => (typeof said === 'string' ? agreementReport(said) : said))
  const state = reports.reduce<Agreement | null>(
    (known, said) => decided(known, decideAgreementRead(known, said)),
    null,
  )
  if (state === null) throw new Error('An agreement has at least one status.')
  return state
}
