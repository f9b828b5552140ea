import { ExactNumber } from '../../../lib/exact-json.ts'

/** Of one length for every text, so that the length of what it hides is not told either. */
const MASK = '***'

const SHOWN = 3

/** Below this length the end that is shown would be most of the number. */
const SHORTEST_SHOWN = 6

const LONGEST_ADDRESS = 320

/**
 * What may be kept of an account number, a telephone number or an ABN: its last three digits behind a mask, and no digit
 * at all of a short one. Null where there is no number.
 */
export function maskedNumber(json: unknown): string | null {
  const text = json instanceof ExactNumber ? json.text : json
  const compact = typeof text === 'string' ? text.replaceAll(/[\s-]/g, '') : ''
  if (compact === '') return null
  const end = compact.slice(-SHOWN)
  return compact.length >= SHORTEST_SHOWN && /^\d+$/.test(end) ? `${MASK}${end}` : MASK
}

/**
 * What may be kept of a payer's alias: of an e-mail address its first letter and its domain, of everything else the last
 * three digits. The content decides, because a wrong type must not show more.
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
