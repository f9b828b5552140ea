import { readVietQr, vietQr } from './make-vietqr.ts'

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
