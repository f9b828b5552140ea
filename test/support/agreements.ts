import { agreementInput } from './inputs.ts'
import { AGREEMENT_FIELDS, made, mutate, type AgreementNode } from './mutations.ts'
import type { Network } from './network.ts'
import { addressFor, type WebhookAddress } from './webhooks.ts'

export const AGREEMENT_UPDATES = `subscription AgreementUpdates($id: ID!, $after: String) {
  paymentAgreementUpdates(id: $id, after: $after) {
    kind cursor previousCursor resyncReason
    event { id kind sequence cursor source fromStatus toStatus }
    agreement { id status version }
  }
}`

/** Sandbox options under which payers never answer by themselves: the test sets every status. */
export const NO_ANSWER = { mandateMs: 24 * 3_600_000 }

/** Creates an agreement. Throws if it is not created. */
export function createAgreement(
  network: Pick<Network, 'ask'>,
  over: Record<string, unknown> = {},
): Promise<AgreementNode> {
  return made(mutate(network, 'createPaymentAgreement', agreementInput(over)), 'agreement')
}

/** Returns the agreement as the app shows it; null if the app does not know it. */
export async function readAgreement(network: Network, id: string): Promise<AgreementNode | null> {
  const { data } = await network.ask<{ paymentAgreement: AgreementNode | null }>(
    `query Agreement($id: ID!) { paymentAgreement(id: $id) { ${AGREEMENT_FIELDS} } }`,
    { id },
  )
  return data.paymentAgreement
}

export type WireAgreement = Readonly<Record<string, unknown>> & {
  readonly payment_agreement_notification: { readonly endpoint_url: string; readonly authorization_header: string }
}

/** Returns the agreements of the payments API, newest first, from its search. */
export async function searchAgreements({ sandbox }: Network): Promise<WireAgreement[]> {
  const site = sandbox.sites.find(({ currencies }) => currencies.includes('AUD'))
  if (site === undefined) throw new Error('The payments API has no site for AUD.')
  const dayFromNow = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString()
  const query = new URLSearchParams({ from_date: dayFromNow(-1), to_date: dayFromNow(1), size: '100' })
  const response = await fetch(`${sandbox.url}/v1/pay_to/payment_agreement/search?${query.toString()}`, {
    headers: { 'app-id': site.appId, 'secret-key': site.secretKey },
  })
  return ((await response.json()) as { records: WireAgreement[] }).records
}

/** Returns the callback address of an agreement at the payments API. Throws if the agreement does not exist there. */
export async function callbackAddressOf(network: Network, id: string): Promise<WebhookAddress> {
  const record = (await searchAgreements(network)).find((one) => one['payment_agreement_id'] === id)
  if (record === undefined) throw new Error(`The payments API has no agreement ${id}.`)
  return addressFor(record.payment_agreement_notification.endpoint_url, 'agreement')
}
