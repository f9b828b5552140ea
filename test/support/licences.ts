/** SPDX identifiers of licences that are allowed both in a closed and in an open product. */
const MAY_SHIP = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
])

/** Returns whether an SPDX expression without nesting is allowed: all parts of one of its alternatives must be in `MAY_SHIP`. */
export function mayShip(expression: string): boolean {
  const alternatives = expression.replace(/[()]/g, '').split(' OR ')
  return alternatives.some((alternative) => alternative.split(' AND ').every((id) => MAY_SHIP.has(id)))
}
