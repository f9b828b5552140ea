/** Methods whose payer chooses the amount (gap sheet, section 9). */
const OPEN_AMOUNT_METHODS: ReadonlySet<string> = new Set(['usdc_bank'])

/** Returns whether a direct payin by this method may be made without an amount. */
export function takesOpenAmount(methodCode: string): boolean {
  return OPEN_AMOUNT_METHODS.has(methodCode)
}

/** The amount of a payin whose payer chooses it, until the payments API reports one. */
export const OPEN_AMOUNT = '0'
