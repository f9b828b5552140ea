import { jsonNumber } from '../values/wire.ts'
import { agreementIdOf } from './sandbox-agreement.ts'
import type { Agreement, AgreementStatus, Payer } from './sandbox-agreement.ts'

/**
 * The agreement as API responses and callbacks show it (docs/payments-api.md, section 2.1). `status` overrides the
 * agreement's status. The Authorization value is not masked: the documents do not mention masking for agreements.
 */
export function agreementObject(agreement: Agreement, status: AgreementStatus = agreement.status): object {
  const { request, terms } = agreement
  const { wrapper, startDate, frequency } = terms.details
  return {
    id: agreement.id,
    payment_agreement_id: agreementIdOf(agreement),
    client_transaction_id: request.clientTransactionId,
    limit_amount: jsonNumber(terms.limitAmount),
    description: request.description,
    external_id: request.externalId ?? null,
    status,
    created_at: agreement.createdAt.toISOString(),
    payment_agreement_type: request.type.replace('_', ' '),
    agreement_details: { [wrapper]: { start_date: startDate, frequency } },
    payer_details: payerObject(request.payer),
    payment_agreement_notification: {
      endpoint_url: terms.target.endpointUrl,
      authorization_header: terms.target.authorizationHeader,
    },
  }
}

function payerObject({ name, bankAccount, payId }: Payer): object {
  return {
    name,
    ...(bankAccount && { bank_account_details: { bsb: bankAccount.bsb, account_number: bankAccount.accountNumber } }),
    ...(payId && { pay_id_details: { pay_id: payId.id, pay_id_type: payId.type } }),
  }
}
