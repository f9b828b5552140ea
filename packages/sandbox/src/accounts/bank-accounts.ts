/** A bank account that the bank look-up knows. `bin` is the six-digit number of its bank. */
export type BankAccount = {
  readonly bin: string
  readonly bankName: string
  readonly swiftCode: string
  readonly accountNumber: string
  readonly accountName: string
}

/** A known account and the VietQR payload that encodes it. */
export type KnownQr = BankAccount & { qrContent: string }

const BANKS = {
  vietcombank: { bin: '970436', bankName: 'Vietcombank', swiftCode: 'BFTVVNVX' },
  vietinbank: { bin: '970415', bankName: 'VietinBank', swiftCode: 'ICBVVNVX' },
  sacombank: { bin: '970403', bankName: 'Sacombank', swiftCode: 'SGTTVNVX' },
} as const

/**
 * The accounts that the look-up knows. The people are fictional; the last account is the one in the published VietQR
 * example.
 */
export const BANK_ACCOUNTS: readonly BankAccount[] = [
  { ...BANKS.vietcombank, accountNumber: '0011223344', accountName: 'NGUYEN VAN AN' },
  { ...BANKS.vietcombank, accountNumber: '0011223355', accountName: 'TRAN THI BINH' },
  { ...BANKS.vietinbank, accountNumber: '101010101010', accountName: 'LE VAN CUONG' },
  { ...BANKS.sacombank, accountNumber: '0011012345678', accountName: 'PHAM THI DUNG' },
]

/** Returns the known accounts, each with its VietQR payload. */
export function knownQrs(): KnownQr[] {
  return BANK_ACCOUNTS.map((account) => ({ ...account, qrContent: vietQr(account) }))
}

/** Returns the account in a VietQR payload, or the reason why there is none (docs/payments-api.md, section 4.7). */
export function lookUp(qrContent: string): { account: BankAccount } | { problem: string } {
  const named = readVietQr(qrContent)
  if (named === undefined) return { problem: 'The QR content is not a VietQR payload.' }
  if (!Object.values(BANKS).some(({ bin }) => bin === named.bin)) return { problem: 'There is no such bank.' }
  const account = BANK_ACCOUNTS.find(
    ({ bin, accountNumber }) => bin === named.bin && accountNumber === named.accountNumber,
  )
  return account === undefined ? { problem: 'There is no such bank account.' } : { account }
}

/** A bank account in Viet Nam, as a VietQR payload identifies it. */
export type QrAccount = { readonly bin: string; readonly accountNumber: string }

export type QrOptions = QrAccount & {
  /** In whole units. When absent, the payer chooses the amount. */
  amount?: string
  /** The text that the bank transfer carries. */
  purpose?: string
}

/** Returns the VietQR payload for a transfer to a bank account: EMV fields, each as tag, length and value, and a checksum. */
export function vietQr({ bin, accountNumber, amount, purpose }: QrOptions): string {
  const beneficiary = field('00', bin) + field('01', accountNumber)
  const payload = [
    field('00', '01'),
    field('01', amount === undefined ? '11' : '12'),
    field(ACCOUNT, field('00', NAPAS) + field('01', beneficiary) + field('02', TO_ACCOUNT)),
    field('53', '704'),
    amount === undefined ? '' : field('54', amount),
    field('58', 'VN'),
    purpose === undefined ? '' : field('62', field('08', purpose)),
    CHECKSUM_HEAD,
  ].join('')
  return payload + checksum(payload)
}

/** Returns the bank account in a VietQR payload; undefined when the text is not a payload or its checksum is wrong. */
function readVietQr(text: string): QrAccount | undefined {
  const [body, given] = [text.slice(0, -CHECKSUM_LENGTH), text.slice(-CHECKSUM_LENGTH)]
  if (!body.endsWith(CHECKSUM_HEAD) || checksum(body) !== given.toUpperCase()) return undefined
  const account = readFields(readFields(text)?.get(ACCOUNT))
  if (account?.get('00') !== NAPAS) return undefined
  const beneficiary = readFields(account.get('01'))
  const [bin, accountNumber] = [beneficiary?.get('00'), beneficiary?.get('01')]
  return bin === undefined || accountNumber === undefined ? undefined : { bin, accountNumber }
}

/** Tag of the account field, and its parts: the identifier of the domestic scheme, and the kind of transfer. */
const ACCOUNT = '38'
const NAPAS = 'A000000727'
const TO_ACCOUNT = 'QRIBFTTA'

/** Tag and length of the checksum, which is the last field; the checksum covers both. */
const CHECKSUM_HEAD = '6304'
const CHECKSUM_LENGTH = 4

function field(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value
}

function readFields(text: string | undefined): Map<string, string> | undefined {
  if (text === undefined) return undefined
  const fields = new Map<string, string>()
  for (let at = 0; at < text.length;) {
    const head = /^(\d\d)(\d\d)$/.exec(text.slice(at, at + 4))
    const end = at + 4 + Number(head?.[2])
    if (head?.[1] === undefined || end > text.length) return undefined
    fields.set(head[1], text.slice(at + 4, end))
    at = end
  }
  return fields
}

/** CRC-16 with polynomial 1021 and initial value FFFF, as EMV requires; four upper-case hex digits. */
function checksum(text: string): string {
  let crc = 0xffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
