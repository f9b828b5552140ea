/** The claims of a client token. They are decoded here and verified by the server. */
export type Claims = {
  readonly subject: string | null
  readonly scopes: ReadonlySet<string>
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Decodes a token without checking its signature; null when it is not a JWT or has no expiry. */
export function claimsOf(token: string): Claims | null {
  const payload = payloadOf(token)
  if (payload === null || typeof payload['exp'] !== 'number') return null
  const subject = payload['sub']
  return {
    subject: typeof subject === 'string' ? subject : null,
    scopes: new Set(scopesOf(payload['scope'] ?? payload['scp'])),
    expiresAt: payload['exp'] * 1000,
  }
}

/** Removes text that users often copy along with a token. */
export function tidyToken(text: string): string {
  return text.trim().replace(/^bearer\s+/i, '')
}

function payloadOf(token: string): Record<string, unknown> | null {
  const part = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token)?.[1]
  if (part === undefined) return null
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
    const payload: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function scopesOf(claim: unknown): string[] {
  const list = Array.isArray(claim) ? claim : [claim]
  return list.flatMap((part) => (typeof part === 'string' ? part.split(' ') : [])).filter((scope) => scope !== '')
}
