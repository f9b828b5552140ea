import type { Texts } from './languages.ts'

/** Also used for lost or stolen cards and for suspected fraud: the payer must not be able to tell them apart. */
const DECLINED = 'Your payment was declined. Please use another payment method, or contact your bank.'

/** The texts for payers in English. */
export const en: Texts = {
  failures: {
    ACCOUNT_CLOSED: 'This bank account is closed. Please pay from another account or use another payment method.',
    AMOUNT_INVALID: 'This amount cannot be paid. Please try again with a lower amount.',
    AMOUNT_TOO_LARGE: 'This amount is too high for the payment method. Please try again with a lower amount.',
    AMOUNT_TOO_SMALL: 'This amount is too low for the payment method. Please try again with a higher amount.',
    AUTHENTICATION_EXPIRED: 'The confirmation of your payment took too long. Please try again.',
    AUTHENTICATION_FAILED: 'Your payment could not be confirmed. Please use another payment method.',
    AUTHENTICATION_REQUIRED:
      'Your bank asks you to confirm this payment. Please try again and follow its instructions.',
    CAPTURE_NOT_AUTHORISED: 'We could not complete your payment. Please contact us.',
    CARD_DECLINE_RATE_LIMIT_EXCEEDED:
      'This card has been declined too many times. Please try it again after 24 hours, or use another payment method.',
    CARD_EXPIRED: 'This card has expired. Please use another card.',
    CARD_LOST: DECLINED,
    CARD_NOT_SUPPORTED: 'This card cannot be used for this type of purchase. Please use another card.',
    CARD_NUMBER_INCORRECT: 'The card number is not correct. Please check it and try again.',
    CARD_RESTRICTED: 'This card cannot be used for this payment. Please use another card.',
    CARD_STOLEN: DECLINED,
    CARD_VELOCITY_EXCEEDED: 'The limit of this card has been reached. Please use another payment method.',
    CURRENCY_NOT_SUPPORTED: 'This card does not support the currency. Please use another card.',
    CUSTOMER_CANCELED: 'You stopped this payment with your bank. You can try again whenever you like.',
    CVC_INCORRECT: 'The security code is not correct. Please check it on your card and try again.',
    DEBIT_NOT_AUTHORISED: 'Your bank tells us that you did not agree to this payment. Please contact us.',
    EXPIRY_MONTH_INVALID: 'The expiry month is not correct. Please check it on your card and try again.',
    EXPIRY_YEAR_INVALID: 'The expiry year is not correct. Please check it on your card and try again.',
    FRAUDULENT: DECLINED,
    GENERIC_DECLINED: DECLINED,
    INSUFFICIENT_FUNDS: 'There are not enough funds for this payment. Please use another payment method.',
    ISSUER_DECLINED: 'Your bank declined this payment. Please contact your bank, or use another payment method.',
    ISSUER_NOT_AVAILABLE: 'Your bank cannot be reached at the moment. Please try again in a few minutes.',
    PIN_REQUIRED: 'This card asks for a PIN, which cannot be entered here. Please use another payment method.',
    PIN_TRY_EXCEEDED: 'The PIN was entered wrongly too often. Please use another card, or contact your bank.',
    PROCESSING_ERROR:
      'Something went wrong with your payment. Please try again in a few minutes, or use another payment method.',
    RETURN_URL_INVALID: 'This payment was not set up correctly. Please contact us.',
    TRANSACTION_IS_BLOCKED:
      'This payment could not be accepted. Any money you have paid will be returned. Please contact us.',
    TRANSACTION_DUPLICATED:
      'The same payment was made a short time ago. Please check whether it went through, or contact us.',
    WITHDRAWAL_COUNT_LIMIT_EXCEEDED:
      'The balance or credit limit of this card has been reached. Please use another payment method.',
    UNRECOGNISED: 'Your payment did not go through. Please use another payment method, or contact us.',
  },
  nextActions: {
    OPEN_CHECKOUT: 'Go to payment',
    COMPLETE_3DS: 'Confirm with your bank',
    WAIT: 'Please wait',
    START_AGAIN: 'Start again',
    CONTACT_SUPPORT: 'Contact us',
  },
}
