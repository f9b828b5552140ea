import { createHmac } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/**
 * Returns the keyed digest (43 characters) that stands for a contact of a site, under the first signing key. It does not reveal the e-mail address,
 * and cannot be made without the key. Case and surrounding spaces do not matter.
 */
export function contactKey(ring: KeyRing, site: string, email: string): string {
  const [{ key }] = ring.subKeys('contact')
  return createHmac('sha256', key).update(`${site}\n${email.trim().toLowerCase()}`, 'utf8').digest('base64url')
}
