import { createHash } from 'node:crypto'

/** Returns the strong entity tag of a body (RFC 9110, section 8.8.3). */
export function entityTag(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`
}

/** Returns whether a client that sends this If-None-Match already has the body with this tag (RFC 9110, section 13.1.2). */
export function hasAlready(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((entry) => entry.trim().replace(/^W\//, ''))
  return tags.includes(tag) || (tags.length === 1 && tags[0] === '*')
}
