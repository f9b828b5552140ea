/** What a customer needs to pay, under the payments API's own names, which are open: `pay_code` (gap sheet, section 9). */
export type Instructions = Readonly<Record<string, unknown>>

/** Returns the first of these entries that is a text or a number, as text; null without one. */
export function entryOf(instructions: Instructions, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(instructions, name) ? instructions[name] : null
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value)
  }
  return null
}

/** Returns the entries about the account to transfer to: those beside the others, and those in an object of their own. */
export function accountIn(instructions: Instructions): Instructions | null {
  const nested = instructions['bank_information']
  const account = typeof nested === 'object' && nested !== null ? { ...instructions, ...nested } : instructions
  return entryOf(account, 'account_number') === null ? null : account
}
