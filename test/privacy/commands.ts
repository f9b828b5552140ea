import { agreementInput, amendmentInput, gatewayInput, payeeInput, payinInput, payoutInput } from '../support/inputs.ts'
import { made, mutate, type MutationName } from '../support/mutations.ts'
import type { AskOptions, Network } from '../support/network.ts'
import { createLink, linkInput } from '../support/operations.ts'
import { createPayin } from '../support/payins.ts'
import type { Canaries } from './canaries.ts'

export type Command = readonly [name: MutationName, input: Readonly<Record<string, unknown>>]

/** The ids of the objects that the commands change. */
export type Subjects = {
  readonly link: string
  readonly payin: string
  readonly agreement: string
  readonly payout: string
}

/** Returns every mutation with a canary in each free text; all of them are valid. */
export function commandsFullOf(canaries: Canaries, subjects: Subjects, round: string): Command[] {
  const { word, email, digits } = canaries
  const at = (place: string) => `input.${place}`
  const key = (name: string) => ({ idempotencyKey: word(at(`${name}.key ${round}`)) })
  const url = (place: string) => `https://shop.example.test/${word(at(place))}?q=${word(at(`${place}, its query`))}`
  const contact = (whose: string) => ({
    firstName: word(at(`${whose}.first name`)),
    lastName: word(at(`${whose}.last name`)),
    email: email(at(`${whose}.email`)),
    phone: `+61${digits(at(`${whose}.phone`))}`,
    company: word(at(`${whose}.company`)),
    address: word(at(`${whose}.address`)),
    city: word(at(`${whose}.city`)),
    postalCode: '2000',
    state: word(at(`${whose}.state`)),
    countryCode: 'AU',
  })
  const { phone: _phone, company: _company, ...customer } = contact('customer')
  return [
    [
      'createPaymentLink',
      linkInput({
        ...key('link'),
        reference: word(at('link.reference')),
        description: word(at('link.description')),
        ownerId: word(at('link.owner')),
        customer: { ...customer, extra: { [word(at('extra, its key'))]: word(at('extra')) } },
        successUrl: url('success url'),
        failureUrl: url('failure url'),
      }),
    ],
    [
      'createPayin',
      payinInput({
        ...key('payin'),
        reference: word(at('payin.reference')),
        customerName: word(at('payin.name')),
        customerEmail: email(at('payin.email')),
        description: word(at('payin.description')),
        ownerId: word(at('payin.owner')),
        methodFields: { user_name: word(at('payin.method field')), other: word(at('payin.other field')) },
      }),
    ],
    [
      'createGatewayPayment',
      gatewayInput({
        ...key('gateway'),
        reference: word(at(`gateway.order ${round}`)),
        description: word(at('gateway.description')),
        successUrl: url('gateway.success url'),
        billing: contact('billing'),
        shipping: contact('shipping'),
        items: [
          {
            id: word(at('item.id')),
            name: word(at('item.name')),
            quantity: 1,
            price: '99.95',
            variantId: word(at('item.variant')),
            imageUrl: url('item.image'),
          },
        ],
      }),
    ],
    ['createPaymentNote', { ...key('note'), paymentId: subjects.link, text: word(at('note.text')) }],
    ['refundPayment', { ...key('refund'), paymentId: subjects.link, description: word(at('refund.description')) }],
    [
      'createPaymentAgreement',
      agreementInput({
        clientTransactionId: word(at(`agreement.key ${round}`)),
        description: word(at('agreement.description')),
        reference: word(at('agreement.external id')),
        payer: {
          name: word(at('agreement.payer')),
          bankAccount: { bsb: '062-000', accountNumber: digits(at('account number')) },
          payId: { value: email(at('alias')), type: 'EMAIL' },
        },
      }),
    ],
    ['amendPaymentAgreement', amendmentInput(subjects.agreement, key('amendment'))],
    ['changePaymentAgreementStatus', { ...key('change'), id: subjects.agreement, status: 'CANCELLED' }],
    [
      'createPayout',
      payoutInput({
        ...key('payout'),
        description: word(at('payout.description')),
        reference: word(at('payout.external id')),
        transactions: [
          payeeInput({
            firstName: word(at('payee.first name')),
            lastName: word(at('payee.last name')),
            email: email(at('payee.email')),
            reference: word(at('payee.external id')),
            methodFields: {
              account_number: digits(at('payee.account')),
              account_name: word(at('payee.account name')),
              bsb: '062000',
            },
          }),
        ],
      }),
    ],
    ['cancelScheduledPayout', { ...key('cancel'), id: subjects.payout }],
    ['simulatePayin', { paymentId: subjects.payin, outcome: 'COMPLETED' }],
    [
      'simulateDeposit',
      {
        accountNumber: digits(at('deposit.account')),
        amount: { value: '10', currency: 'AUD' },
        remitterName: word(at('deposit.remitter')),
        remitterBankName: word(at('deposit.bank')),
        remitterBranchName: word(at('deposit.branch')),
        remarks: word(at('deposit.remarks')),
      },
    ],
  ]
}

/** Creates the objects that the commands change, without canaries. */
export async function makeSubjects(network: Network, options: AskOptions): Promise<Subjects> {
  const link = await createLink(network)
  await network.sandbox.control.setStatus(link.id, 'received')
  const payin = await createPayin(network)
  const agreement = await made(mutate(network, 'createPaymentAgreement', agreementInput(), options), 'agreement')
  await network.sandbox.control.setAgreementStatus(agreement.serviceId, 'active')
  const scheduledAt = new Date(Date.now() + 7 * 86_400_000).toISOString()
  const payout = await made(mutate(network, 'createPayout', payoutInput({ scheduledAt }), options), 'payout')
  await network.sandbox.settle()
  const paid = network.sandbox.control.state().links.find(({ uuid }) => uuid === link.id)?.paymentUuid
  return { link: paid ?? '', payin: payin.id, agreement: agreement.id, payout: payout.id }
}
