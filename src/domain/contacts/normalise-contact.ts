/** Trims a name, and replaces each run of space characters of any width by one space. */
export function normaliseName(name: string): string {
  return name.trim().replace(/\p{Zs}+/gu, ' ')
}

/** Removes white space: from an ABN written `51 824 753 556`, a BSB written `062 000`, or an account number in groups. */
export function withoutSpaces(digits: string): string {
  return digits.replace(/\s/gu, '')
}

const SEPARATORS = /[\s().\u2010-\u2015-]/gu

/**
 * Returns a phone number as `+` and digits: without separators, and with `+` instead of `00`. An Australian number, which may be written
 * locally (`0412 345 678`) or with the zero in brackets (`+61 (0)412 345 678`), gets its country code; `separator` is inserted after that
 * code. A text that is not such a number is returned without separators, and the rules then reject it.
 */
export function normalisePhone(phone: string, separator: '' | '-' = ''): string {
  const digits = phone.replace(SEPARATORS, '').replace(/^00/, '+')
  const [, national] = /^(?:\+61)?0?([2-478]\d{8})$/.exec(digits) ?? []
  const isLocal = digits.startsWith('0') || digits.startsWith('+61')
  return national !== undefined && isLocal ? `+61${separator}${national}` : digits
}
