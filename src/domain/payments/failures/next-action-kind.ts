/** The next action of the customer. */
export type NextActionKind = 'OPEN_CHECKOUT' | 'COMPLETE_3DS' | 'WAIT' | 'START_AGAIN' | 'CONTACT_SUPPORT'
