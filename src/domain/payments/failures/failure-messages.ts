import type { NextActionKind, FailureCode } from './failure-codes.ts'

/** Also used for lost or stolen cards and for suspected fraud: the payer must not be able to tell them apart. */
const DECLINED_EN = 'Your payment was declined. Please use another payment method, or contact your bank.'

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
    CARD_LOST: DECLINED_EN,
    CARD_NOT_SUPPORTED: 'This card cannot be used for this type of purchase. Please use another card.',
    CARD_NUMBER_INCORRECT: 'The card number is not correct. Please check it and try again.',
    CARD_RESTRICTED: 'This card cannot be used for this payment. Please use another card.',
    CARD_STOLEN: DECLINED_EN,
    CARD_VELOCITY_EXCEEDED: 'The limit of this card has been reached. Please use another payment method.',
    CURRENCY_NOT_SUPPORTED: 'This card does not support the currency. Please use another card.',
    CUSTOMER_CANCELED: 'You stopped this payment with your bank. You can try again whenever you like.',
    CVC_INCORRECT: 'The security code is not correct. Please check it on your card and try again.',
    DEBIT_NOT_AUTHORISED: 'Your bank reports that you did not agree to this payment. Please contact us.',
    EXPIRY_MONTH_INVALID: 'The expiry month is not correct. Please check it on your card and try again.',
    EXPIRY_YEAR_INVALID: 'The expiry year is not correct. Please check it on your card and try again.',
    FRAUDULENT: DECLINED_EN,
    GENERIC_DECLINED: DECLINED_EN,
    INSUFFICIENT_FUNDS: 'There are not enough funds for this payment. Please use another payment method.',
    ISSUER_DECLINED: 'Your bank declined this payment. Please contact your bank, or use another payment method.',
    ISSUER_NOT_AVAILABLE: 'Your bank cannot be reached at the moment. Please try again in a few minutes.',
    PIN_REQUIRED: 'This card requires a PIN, which cannot be entered here. Please use another payment method.',
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

/** Also used for lost or stolen cards and for suspected fraud: the payer must not be able to tell them apart. */
const DECLINED_JA =
  'お支払いが承認されませんでした。別のお支払い方法をご利用いただくか、ご利用の金融機関にお問い合わせください。'

/** The texts for payers in Japanese. */
const ja: Texts = {
  failures: {
    ACCOUNT_CLOSED: 'この銀行口座は解約されています。別の口座または別のお支払い方法をご利用ください。',
    AMOUNT_INVALID: 'この金額ではお支払いいただけません。金額を下げてもう一度お試しください。',
    AMOUNT_TOO_LARGE: '金額がこのお支払い方法の上限を超えています。金額を下げてもう一度お試しください。',
    AMOUNT_TOO_SMALL: '金額がこのお支払い方法の下限を下回っています。金額を上げてもう一度お試しください。',
    AUTHENTICATION_EXPIRED: 'お支払いの確認が時間切れとなりました。もう一度お試しください。',
    AUTHENTICATION_FAILED: 'お支払いを確認できませんでした。別のお支払い方法をご利用ください。',
    AUTHENTICATION_REQUIRED:
      'ご利用の金融機関による本人確認が必要です。もう一度お試しのうえ、画面の案内に従ってください。',
    CAPTURE_NOT_AUTHORISED: 'お支払いを完了できませんでした。お手数ですが、当店までお問い合わせください。',
    CARD_DECLINE_RATE_LIMIT_EXCEEDED:
      'このカードは承認されなかった回数が上限に達しました。24時間後にもう一度お試しいただくか、別のお支払い方法をご利用ください。',
    CARD_EXPIRED: 'このカードは有効期限が切れています。別のカードをご利用ください。',
    CARD_LOST: DECLINED_JA,
    CARD_NOT_SUPPORTED: 'このカードは今回のお買い物にはご利用いただけません。別のカードをご利用ください。',
    CARD_NUMBER_INCORRECT: 'カード番号が正しくありません。ご確認のうえ、もう一度お試しください。',
    CARD_RESTRICTED: 'このカードは今回のお支払いにはご利用いただけません。別のカードをご利用ください。',
    CARD_STOLEN: DECLINED_JA,
    CARD_VELOCITY_EXCEEDED: 'このカードのご利用限度額に達しています。別のお支払い方法をご利用ください。',
    CURRENCY_NOT_SUPPORTED: 'このカードはこの通貨に対応していません。別のカードをご利用ください。',
    CUSTOMER_CANCELED: '金融機関でのお手続きにより、お支払いが取り消されました。よろしければ、もう一度お試しください。',
    CVC_INCORRECT: 'セキュリティコードが正しくありません。カードをご確認のうえ、もう一度お試しください。',
    DEBIT_NOT_AUTHORISED:
      'このお支払いに同意されていないと金融機関から連絡がありました。お手数ですが、当店までお問い合わせください。',
    EXPIRY_MONTH_INVALID: '有効期限の月が正しくありません。カードをご確認のうえ、もう一度お試しください。',
    EXPIRY_YEAR_INVALID: '有効期限の年が正しくありません。カードをご確認のうえ、もう一度お試しください。',
    FRAUDULENT: DECLINED_JA,
    GENERIC_DECLINED: DECLINED_JA,
    INSUFFICIENT_FUNDS: '残高が不足しています。別のお支払い方法をご利用ください。',
    ISSUER_DECLINED:
      'ご利用の金融機関でお支払いが承認されませんでした。金融機関にお問い合わせいただくか、別のお支払い方法をご利用ください。',
    ISSUER_NOT_AVAILABLE: '現在、ご利用の金融機関に接続できません。数分後にもう一度お試しください。',
    PIN_REQUIRED:
      'このカードは暗証番号の入力が必要なため、ここではご利用いただけません。別のお支払い方法をご利用ください。',
    PIN_TRY_EXCEEDED:
      '暗証番号の入力回数が上限を超えました。別のカードをご利用いただくか、ご利用の金融機関にお問い合わせください。',
    PROCESSING_ERROR:
      'お支払いの手続き中に問題が発生しました。数分後にもう一度お試しいただくか、別のお支払い方法をご利用ください。',
    RETURN_URL_INVALID: 'お支払いを受け付ける準備に問題がありました。お手数ですが、当店までお問い合わせください。',
    TRANSACTION_IS_BLOCKED:
      'このお支払いは受け付けられませんでした。すでにお支払い済みの場合は返金されます。詳しくは当店までお問い合わせください。',
    TRANSACTION_DUPLICATED:
      '少し前に同じ内容のお支払いがありました。お支払いが完了していないかご確認いただくか、当店までお問い合わせください。',
    WITHDRAWAL_COUNT_LIMIT_EXCEEDED:
      'このカードの残高またはご利用枠が上限に達しています。別のお支払い方法をご利用ください。',
    UNRECOGNISED: 'お支払いが完了しませんでした。別のお支払い方法をご利用いただくか、当店までお問い合わせください。',
  },
  nextActions: {
    OPEN_CHECKOUT: 'お支払いへ進む',
    COMPLETE_3DS: '本人確認を行う',
    WAIT: 'お待ちください',
    START_AGAIN: '最初からやり直す',
    CONTACT_SUPPORT: 'お問い合わせ',
  },
}

/** The languages of the texts for payers, by BCP 47 language subtag. A new language needs one file and one entry here. */
export const LANGUAGES: ReadonlyMap<string, Texts> = new Map([
  ['en', en],
  ['ja', ja],
])

/**
 * Returns the texts for a BCP 47 tag, selected by its language subtag alone: Japanese for `ja-JP`. Underscores count as hyphens, because
 * some devices write them. English without a tag, or for a language without texts.
 */
export function textsFor(locale: string | null): Texts {
  const [language = ''] = (locale ?? '').trim().toLowerCase().split(/[-_]/, 1)
  return LANGUAGES.get(language) ?? en
}

/** All texts for a payer, in one language. If a language omits a code, it does not compile. */
type Texts = {
  readonly failures: Readonly<Record<FailureCode, string>>
  /** Labels for a button, or next to it. */
  readonly nextActions: Readonly<Record<NextActionKind, string>>
}
