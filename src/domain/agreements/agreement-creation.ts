import type { AgreementReport } from './agreement-report.ts'
import { decideAgreementRead, type Agreement, type AgreementDecision, type AgreementFacts } from './agreement.ts'

/**
 * Decides what the response to the creation of an agreement means. It shows the agreement's first state, and may be found much later by a
 * search. If callbacks were applied earlier, it only changes the status `created` or fills in missing facts; a read settles all other
 * differences.
 */
export function decideAgreementCreation(state: Agreement | null, report: AgreementReport): AgreementDecision {
  const asRead = decideAgreementRead(state, report)
  if (state === null) return asRead
  if (namesAnother(state, report)) return { disposition: 'STALE', change: null, provisional: true, confirm: true }
  const { change } = asRead
  if (change?.kind === 'AGREEMENT_STATUS_CHANGED' && state.status === 'created') return asRead
  const facts = filledIn(state, report)
  const fills = keysOf(facts).some((key) => state[key] !== facts[key])
  const { statusRaw, status } = state
  return {
    disposition: fills ? 'APPLIED' : 'NO_CHANGE',
    change: fills ? { kind: 'AGREEMENT_AMENDED', statusRaw, status, facts } : null,
    provisional: null,
    confirm:
      change !== null &&
      (change.statusRaw !== statusRaw || keysOf(facts).some((key) => change.facts[key] !== facts[key])),
  }
}

function namesAnother(state: Agreement, report: AgreementReport): boolean {
  return (
    (state.serviceId ?? report.serviceId) !== (report.serviceId ?? state.serviceId) ||
    (state.clientTransactionId ?? report.clientTransactionId) !==
      (report.clientTransactionId ?? state.clientTransactionId)
  )
}

function filledIn(state: Agreement, said: AgreementReport): AgreementFacts {
  return {
    serviceId: state.serviceId ?? said.serviceId,
    clientTransactionId: state.clientTransactionId ?? said.clientTransactionId,
    externalId: state.externalId ?? said.externalId,
    description: state.description ?? said.description,
    limit: state.limit ?? said.limit,
    purposeRaw: state.purposeRaw ?? said.purposeRaw,
    purpose: state.purposeRaw === null ? said.purpose : state.purpose,
    amountRule: state.amountRule ?? said.amountRule,
    frequencyRaw: state.frequencyRaw ?? said.frequencyRaw,
    frequency: state.frequencyRaw === null ? said.frequency : state.frequency,
    startDate: state.startDate ?? said.startDate,
    createdAt: state.createdAt ?? said.createdAt,
    amendmentStatusRaw: state.amendmentStatusRaw,
  }
}

function keysOf(facts: AgreementFacts): (keyof AgreementFacts)[] {
  return Object.keys(facts) as (keyof AgreementFacts)[]
}
