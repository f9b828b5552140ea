import { randomBytes } from 'node:crypto'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'

/** An access token of the gateway; it belongs to the site that requested it. */
export type Token = { readonly siteId: string; readonly expiresAt: Date }

/** Lifetime of a token in seconds (docs/payments-api.md, section 8). */
export const TOKEN_LIFETIME_S = 3600

/** Issues a new token to a site; earlier tokens stay valid. */
export function issueToken(store: SandboxStore, site: SandboxSite): string {
  const text = ['header', 'claims', 'signature'].map(() => randomBytes(24).toString('base64url')).join('.')
  const expiresAt = new Date(store.clock.now().getTime() + TOKEN_LIFETIME_S * 1000)
  store.tokens.set(text, { siteId: site.id, expiresAt })
  return text
}

/** Whether a token belongs to the site and has not expired. */
export function isLive(store: SandboxStore, site: SandboxSite, text: string | undefined): boolean {
  const token = store.tokens.get(text ?? '')
  return token !== undefined && token.siteId === site.id && store.clock.now() < token.expiresAt
}
