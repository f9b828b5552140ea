/** A bank-state-branch number: six digits, with or without a hyphen in the middle. */
export const BSB = /^\d{3}-?\d{3}$/

/** A mobile number with its country's prefix, e.g. `+26774567890`. */
export const MOBILE_NUMBER = /^\+\d{7,15}$/
