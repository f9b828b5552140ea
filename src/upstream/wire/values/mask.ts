import { ExactNumber } from '../../../lib/exact-json.ts'

/** Of fixed length, so that the length of the hidden text is not revealed. */
const MASK = '***'

const SHOWN = 3

/** Below this length, the visible end would be most of the number. */
const SHORTEST_SHOWN = 6

const LONGEST_ADDRESS = 320

/**
 * Masks an account number, telephone number or ABN: only its last three digits remain, and no digit of a short one. Null if there
 * is no number.
 */
export function maskedNumber(json: unknown): string | null {
  const text = json instanceof ExactNumber ? json.text : json
  const compact = typeof text === 'string' ? text.replaceAll(/[\s-]/g, '') : ''
  if (compact === '') return null
  const end = compact.slice(-SHOWN)
  return compact.length >= SHORTEST_SHOWN && /^\d+$/.test(end) ? `${MASK}${end}` : MASK
}

/**
 * Masks a payer's alias: of an e-mail address the first letter and the domain remain, of everything else the last three digits.
 * The content decides, not the stated type, because a wrong type must not reveal more.
 */
export function maskedAlias(json: unknown): string | null {
  return typeof json === 'string' && json.includes('@') ? maskedEmail(json.trim()) : maskedNumber(json)
}

function maskedEmail(address: string): string {
  if (address.length > LONGEST_ADDRESS) return MASK
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  if (!/^[a-z0-9.-]{1,253}$/i.test(domain)) return MASK
  const [first = '', ...others] = address.slice(0, at)
  const shown = others.length > 0 && /^[\p{L}\p{N}]$/u.test(first) ? first : ''
  return `${shown}${MASK}@${domain}`
}
