import type { Texts } from './languages.ts'

/** Also used for lost or stolen cards and for suspected fraud: the payer must not be able to tell them apart. */
const DECLINED =
  'お支払いが承認されませんでした。別のお支払い方法をご利用いただくか、ご利用の金融機関にお問い合わせください。'

/** The texts for payers in Japanese. */
export const ja: Texts = {
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
    CARD_LOST: DECLINED,
    CARD_NOT_SUPPORTED: 'このカードは今回のお買い物にはご利用いただけません。別のカードをご利用ください。',
    CARD_NUMBER_INCORRECT: 'カード番号が正しくありません。ご確認のうえ、もう一度お試しください。',
    CARD_RESTRICTED: 'このカードは今回のお支払いにはご利用いただけません。別のカードをご利用ください。',
    CARD_STOLEN: DECLINED,
    CARD_VELOCITY_EXCEEDED: 'このカードのご利用限度額に達しています。別のお支払い方法をご利用ください。',
    CURRENCY_NOT_SUPPORTED: 'このカードはこの通貨に対応していません。別のカードをご利用ください。',
    CUSTOMER_CANCELED: '金融機関でのお手続きにより、お支払いが取り消されました。よろしければ、もう一度お試しください。',
    CVC_INCORRECT: 'セキュリティコードが正しくありません。カードをご確認のうえ、もう一度お試しください。',
    DEBIT_NOT_AUTHORISED:
      'このお支払いに同意されていないと金融機関から連絡がありました。お手数ですが、当店までお問い合わせください。',
    EXPIRY_MONTH_INVALID: '有効期限の月が正しくありません。カードをご確認のうえ、もう一度お試しください。',
    EXPIRY_YEAR_INVALID: '有効期限の年が正しくありません。カードをご確認のうえ、もう一度お試しください。',
    FRAUDULENT: DECLINED,
    GENERIC_DECLINED: DECLINED,
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
