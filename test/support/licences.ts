/** SPDX identifiers of licences that may be shipped with a closed or an open product alike. */
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

/** Reads an SPDX expression without nesting: one of the alternatives must be allowed in all its parts. */
export function mayShip(expression: string): boolean {
  const alternatives = expression.replace(/[()]/g, '').split(' OR ')
  return alternatives.some((alternative) => alternative.split(' AND ').every((id) => MAY_SHIP.has(id)))
}
