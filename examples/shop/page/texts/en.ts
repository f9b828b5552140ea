/** All texts of the shop in English; their keys and `{placeholders}` are those of the other languages. */
export const en = {
  language: 'Language',
  loading: 'One moment …',
  sandboxNote: 'This shop runs on the sandbox: no money moves here.',
  notAvailable: 'The shop is not available here.',
  notAvailableHint: 'It needs the sandbox, and client tokens that are signed with a shared secret.',
  catalogueFailed: 'The shop cannot be loaded.',
  tryAgain: 'Try again',

  steps: 'Steps of your order',
  stepBasket: 'Basket',
  stepPay: 'Pay',
  stepConfirm: 'Confirmation',
  stepDone: 'Done',

  checkout: 'Checkout',
  order: 'Your order',
  orderSummary: 'Order summary',
  basket: 'Your basket',
  currency: 'Currency',
  each: '{price} each',
  quantityOf: 'Quantity of {item}',
  oneLess: 'One less',
  oneMore: 'One more',
  add: 'Add',
  addItem: 'Add {item}',
  more: 'More from the shop',
  total: 'Total',
  empty: 'Your basket is empty.',
  placing: 'Your order is being placed …',

  howToPay: 'How do you want to pay?',
  waysToPay: 'Ways to pay in {currency}',
  anyMethod: 'Choose on the payment page',
  anyMethodHint: 'All ways to pay are shown there',
  methodsLoading: 'Loading the ways to pay …',
  methodsFailed: 'The ways to pay cannot be loaded at the moment. You can choose on the payment page.',
  methodsStale: 'This list may be out of date: the payment service is not responding at the moment.',
  methodsUnavailable: 'Payments in {currency} are not possible at the moment.',
  noMethodTakes: 'No way to pay accepts {amount}. Please change your basket.',
  tooLittle: 'From {least}: your basket is below that',
  tooMuch: 'Up to {most}: your basket is above that',
  kinds: {
    CARD: 'Credit or debit card',
    BANK_TRANSFER: 'From your bank account',
    ALIAS: 'From your banking app',
    EWALLET: 'Approve in the wallet on your phone',
    MOBILE_MONEY: 'Approve on your phone',
    QR: 'Scan with your banking app',
    EFT: 'Electronic transfer',
    UPI: 'From your UPI app',
    PIX: 'From your banking app',
    INTERAC: 'From your online banking',
  },
  pay: 'Pay {amount}',
  safe: 'You confirm on the secure payment page.',

  orderFaults: {
    INVALID_ORDER: 'We cannot accept this order.',
    TRY_AGAIN:
      'We cannot reach the payment service at the moment. Nothing was charged. We will try again automatically.',
    LINK_GONE: 'The payment page no longer exists. Please try again.',
    NOT_AVAILABLE: 'This cannot be done here.',
  },
  details: 'Details',

  reference: 'Order number',
  amount: 'Amount',
  methodChosen: 'Way to pay',
  methodUsed: 'Paid with',
  paidAmount: 'Paid',
  paidAt: 'Date',
  print: 'Print the receipt',
  refundedAmount: 'Refunded',
  refunds: 'Refunds',
  refundStates: { PENDING: 'on its way', SETTLED: 'paid back', REJECTED: 'denied', EXPIRED: 'not carried out in time' },
  amountOpen: 'Amount not known yet',
  keepThisPage: 'Save the address of this page to come back to your order without an account.',
  unknownOrder: 'This order cannot be shown.',
  unknownOrderHint: 'Open it in the window in which you ordered, or with the whole address that you have saved.',
  refusedOrder: 'The order does not exist, or its address is not complete.',
  toShop: 'Back to the shop',
  changeBasket: 'Change the basket',

  timeLeft: 'Time left to pay',
  keptFor: 'Your order is kept for',
  inWindow: 'Finish the payment in the window that has opened. This page updates by itself.',
  showWindow: 'Show the window',
  confirm3ds: 'Confirm with your bank',
  continuePaying: 'Continue the payment',
  payAgain: 'Pay again',
  otherMethod: 'Choose another way to pay',
  newLink: 'Get a new link',
  updates: 'This page updates by itself.',

  headlines: {
    loading: 'Looking up your order …',
    ready: 'Your order is ready to be paid.',
    started: 'Your payment has begun.',
    authorised: 'Your payment is authorised.',
    waiting: 'Your payment is approved. The money is on its way.',
    underWay: 'Your payment is being processed.',
    paid: 'Thank you. Your payment was received.',
    failed: 'Your payment did not go through.',
    expired: 'The time to pay has run out.',
    refunding: 'A refund is on its way.',
    partlyRefunded: 'Part of your payment was refunded.',
    refunded: 'Your payment was refunded.',
    disputed: 'Your payment is in dispute.',
  },
  shipped: 'The order is on its way to you.',
  checking: 'We are checking this with the payment service.',
  nothingCharged: 'Nothing was charged.',
  blocked: 'If money has left your account, you will get it back.',
  newLinkHint: 'A new link gives you more time for the same order.',
  approveAtBank: 'Approve the payment with your bank',
  approveOnPhone: 'Approve the payment on your phone',

  /** Why a payment failed, where the graph has no sentence in this language. */
  reasons: null,
  whatHelps: 'What you can do',
  advice: {
    SAME_METHOD: 'You can try again with the same way to pay.',
    OTHER_METHOD: 'Another way to pay, or another card, may work.',
    LATER: 'Please try again later.',
    LOWER_AMOUNT: 'A lower amount may work: take something out of your basket.',
    HIGHER_AMOUNT: 'The amount is too low: put something more into your basket.',
    DO_NOT_RETRY: 'Trying again will not help. Please write to help@shop.test.',
  },
  notBefore: 'Not before {time}.',

  scanToPay: 'Scan to pay {amount}',
  scanHint: 'Open your banking app or wallet, and scan this code.',
  qrImage: 'QR code for a payment of {amount}. Its content can be copied below.',
  qrText: 'Content of the code',
  savePicture: 'Save the picture',
  copyCode: 'Copy the code',
  copied: 'Copied',
  instructions: 'What you need in order to pay',
  account: {
    bankName: 'Bank',
    swiftCode: 'SWIFT code',
    branchName: 'Branch',
    branchCode: 'Branch code',
    accountType: 'Account type',
    accountNumber: 'Account number',
    accountName: 'Account holder',
    reference: 'Reference',
    alias: 'Pay to',
    url: 'Payment page',
    message: 'Note',
  },

  connection: 'Connection',
  connections: {
    connecting: 'Connecting',
    live: 'Live',
    reconnecting: 'Reconnecting',
    polling: 'Checking regularly',
    offline: 'Offline',
    closed: 'Closed',
  },
} as const

/** The categories of a failure, apart from RISK: a payer must not be able to tell it from a refusal of the bank. */
type Reason = 'CUSTOMER_ACTION' | 'CARD_DETAILS' | 'FUNDS' | 'AUTHENTICATION' | 'AMOUNT' | 'ISSUER' | 'TECHNICAL'

type Translated<T> = {
  readonly [Key in keyof T]: T[Key] extends string
    ? string
    : T[Key] extends null
      ? Readonly<Record<Reason, string>> | null
      : Translated<T[Key]>
}

/** The texts of one language. */
export type Texts = Translated<typeof en>
