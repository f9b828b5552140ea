type Kept = { readonly places: RegExp; readonly reason: string }

const STATE =
  /^(?:(?:answer|callback)\.(?:card_brand|card_type|card_country|bank_name|account_number|account_name|reference|a key|of a key)|callback\.(?:error_code|error_message|status)|input\.payin\.reference)$/
const AGREEMENT = /^(?:answer\.description|input\.agreement\.(?:external id|key .+))$/
const GATEWAY = /^input\.gateway\.(?:order .+|description)$/
const PAYOUT = /^(?:answer\.(?:description|error_message)|input\.payout\.external id)$/
const ASKED_BY: Kept = { places: /^claim\.sub$/, reason: 'who asked for it' }
const KEYS = /^input\.[\w ]+\.key .+$/

/** The columns that may contain data of a caller, a payer or the payments API, with the reason. */
export const KEPT: Readonly<Record<string, Kept>> = {
  'payment_payers.name': {
    places: /^(?:answer|callback)\.name$/,
    reason: 'Payment.payer, apart so that it can be erased',
  },
  'payment_payers.email': {
    places: /^(?:answer|callback)\.email$/,
    reason: 'Payment.payer, apart so that it can be erased',
  },
  'agreement_payers.name': {
    places: /^answer\.name$/,
    reason: 'PaymentAgreement.payer, apart so that it can be erased',
  },
  'links.reference': { places: /^input\.link\.reference$/, reason: 'what the merchant finds the link by' },
  'links.description': { places: /^input\.link\.description$/, reason: 'what is paid for' },
  'payments.owner_id': { places: /^input\.(?:link|payin)\.owner$/, reason: 'who may follow the payment' },
  'links.owner_id': { places: /^input\.link\.owner$/, reason: 'who may follow the link' },
  'payins.reference': { places: /^input\.payin\.reference$/, reason: 'what the merchant finds the payin by' },
  'payins.owner_id': { places: /^input\.payin\.owner$/, reason: 'who may follow the payin' },
  'payments.reference': { places: /^input\.payin\.reference$/, reason: 'what the merchant finds the payment by' },
  'payments.other_reference': {
    places: /^input\.(?:link|payin)\.reference$/,
    reason: 'what the merchant finds the payment by, where the payment itself carries another one or none',
  },
  'payments.state_json': {
    places: STATE,
    reason: 'card summary, failure, and the instructions that tell where to pay',
  },
  'events.payment_json': { places: STATE, reason: 'the payment as it was after the event' },
  'events.to_status': { places: /^callback\.status$/, reason: 'a status that this version does not know' },
  'agreements.state_json': { places: AGREEMENT, reason: 'what the agreement is for, and the merchant’s ids of it' },
  'agreements.client_transaction_id': { places: KEYS, reason: 'the agreement’s own key' },
  'events.agreement_json': { places: AGREEMENT, reason: 'the agreement as it was after the event' },
  'payout_records.state_json': {
    places: PAYOUT,
    reason: 'what the payout is for, why it failed, and the merchant’s id of it',
  },
  'payout_records.reference': {
    places: /^input\.payout\.external id$/,
    reason: 'what the merchant finds the payout by',
  },
  'payout_events.payout_json': { places: PAYOUT, reason: 'the payout as it was after the event' },
  'gateway_payments.state_json': {
    places: GATEWAY,
    reason: 'what the payment is for, and the merchant’s id of its order',
  },
  'gateway_payments.order_id': { places: /^input\.gateway\.order .+$/, reason: 'what the merchant finds it by' },
  'gateway_payment_events.gateway_payment_json': {
    places: GATEWAY,
    reason: 'the gateway payment as it was after the event',
  },
  'command_refs.requested_json': {
    places: GATEWAY,
    reason: 'the amount and the order of a gateway payment, of which no answer or a callback alone may come',
  },
  'payout_payees.payees_json': {
    places: /^answer\.payee$/,
    reason: 'PayoutTransaction.payee, apart so that it can be erased',
  },
  'refund_requests.idempotency_key': { places: KEYS, reason: 'PaymentRefund.idempotencyKey' },
  'refund_requests.reason': {
    places: /^(?:input\.refund|answer|callback)\.description$/,
    reason: 'PaymentRefund.description, apart so that it can be erased',
  },
  'payment_notes.text': {
    places: /^(?:input\.note|odd)\.text$/,
    reason: 'PaymentNote.text, apart so that it can be erased',
  },
  'payment_notes.author': { places: /^claim\.sub$/, reason: 'PaymentNote.author' },
  'events.requested_by': ASKED_BY,
  'payout_events.requested_by': ASKED_BY,
  'gateway_payment_events.requested_by': ASKED_BY,
  'commands.requested_by': ASKED_BY,
  'commands.key': { places: KEYS, reason: 'so that a repeat is told' },
  'commands.result_json': {
    places: /^(?:input\.gateway\.order .+|refusal\..+)$/,
    reason: 'the first result again: ids, or the payments API’s own words about what was refused',
  },
  'deliveries.status_raw': { places: /^callback\.status$/, reason: 'a status that this version does not know' },
  'deliveries.body': {
    places: /^callback\.(?:card_(?:brand|type|country|last_4)|error_code|status|uuid)$/,
    reason: 'what a replay decides by, without payer, token or secret',
  },
}
