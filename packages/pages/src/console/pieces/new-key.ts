/** Returns a new idempotency key. Does not use `randomUUID`, which browsers provide only in secure contexts. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
