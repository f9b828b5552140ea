import { BANK_ACCOUNTS } from '../accounts/bank-accounts.ts'
import { vietQr } from '../accounts/make-vietqr.ts'
import type { Method } from '../methods/methods.ts'
import { owedTotal, type Link, type Payin } from '../payments/link.ts'
import { paymentUrl } from '../payments/payment-object.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { decimalText } from '../values/decimal.ts'

/** Whether a webhook delivers the `pay_code` of a method after the creation (gap sheet, section 9). */
export function isLate(method: Method): boolean {
  return method.kind === 'alias' || method.code === 'jp_bank_jpy'
}

/** Returns the payment instructions by the kind of the method (gap sheet, section 9); undefined for mobile money. */
export function payCodeOf(
  store: SandboxStore,
  payin: Payin,
  method: Method,
): Readonly<Record<string, string>> | undefined {
  const page = paymentUrl(store, payin)
  if (method.kind === 'mobile_money') return undefined
  if (method.kind === 'card') return { '3ds_url': `${page}/3ds` }
  if (method.kind === 'alias') return { payment_url: page }
  if (method.code === 'jp_bank_jpy') return japaneseAccount(payin)
  const code = qrCodeOf(payin, method)
  if (code !== undefined) return code
  if (BANK_METHOD.test(method.code)) return bankAccount(payin)
  return { redirect_url: page }
}

/** Returns the code that the payer scans; undefined for a method without one. */
export function qrCodeOf(link: Link, method: Method): Readonly<Record<string, string>> | undefined {
  return QR_METHOD.test(method.code) ? { qr_string: qrString(link, method) } : undefined
}

const QR_METHOD = /qr|duitnow|pix/
const BANK_METHOD = /^(?:kr|ng|mw|bw|ar|sa|usdc)_/

function japaneseAccount(payin: Payin): Record<string, string> {
  return {
    bank_name: 'Sandbox Bank',
    transfer_id: digitsOf(payin.uuid, 7),
    branch_code: '001',
    branch_name: 'Main branch',
    account_type: 'ordinary',
    account_number: digitsOf(payin.uuid, 7),
    account_name: 'ｻﾝﾄﾞﾎﾞｯｸｽ',
    transfer_name: `${digitsOf(payin.uuid, 7)} ${payin.payin.name}`,
    expired_timestamp: payin.expiresAt.toISOString(),
  }
}

function bankAccount(payin: Payin): Record<string, string> {
  return {
    bank_name: 'Sandbox Bank',
    account_number: digitsOf(payin.uuid, 12),
    account_name: 'Sandbox Treasury',
    reference: payin.uuid,
  }
}

/** A VietQR payload that the bank look-up resolves; the other schemes have no published sandbox payload. */
function qrString(link: Link, method: Method): string {
  const amount = decimalText(owedTotal(link))
  const [account] = BANK_ACCOUNTS
  if (method.currency === 'VND' && account !== undefined) return vietQr({ ...account, amount, purpose: link.uuid })
  return `sandbox:${method.code}:${link.uuid}:${amount}`
}

/** Returns digits derived from the uuid, so that they stay the same for a payin. */
function digitsOf(uuid: string, count: number): string {
  return Array.from(uuid.repeat(2), (letter) => String(letter.charCodeAt(0) % 10))
    .join('')
    .slice(0, count)
}
