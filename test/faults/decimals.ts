import { randomFrom } from './random.ts'

/**
 * Creates a generator of whole numbers from 0 up to, but not including, a bound; equal seeds give equal numbers. A million take a tenth of
 * a second.
 */
export function seeded(seed: number): (bound: number) => number {
  const random = randomFrom(seed)
  return (bound) => Math.floor(random() * bound)
}

/** Returns an amount of 1 to 15 significant digits and at most `decimals` decimals, often with zeros at its ends. */
export function anyAmount(next: (bound: number) => number, decimals: number): string {
  const places = next(decimals + 1)
  const length = 1 + next(15)
  let digits = String(1 + next(9))
  while (digits.length < length) digits += next(3) === 0 ? '0' : String(next(10))
  const padded = digits.padStart(places + 1, '0')
  const point = padded.length - places
  return places === 0 ? padded : `${padded.slice(0, point)}.${padded.slice(point)}`
}

/** Forms that are not valid amounts here. */
export const NO_AMOUNTS: readonly string[] = [
  '',
  ' ',
  '1e3',
  '1E3',
  '1e-3',
  '+1',
  '-1',
  '-0',
  '.5',
  '5.',
  '.',
  '0.1+0.2',
  '1/2',
  '1.2.3',
  '..1',
  '١٢',
  '۱۲',
  '１２',
  '१२',
  '1٫5',
  '²',
  '½',
  '一',
  'Ⅷ',
  '1\u0660',
  '1\u200b',
  '\ufeff1',
  '\u00a01',
  '−1',
  'NaN',
  'Infinity',
  '-Infinity',
  'null',
  'undefined',
  'true',
  '0x10',
  '0b1',
  '0o7',
  '1n',
  '1f',
  '$1',
  '1 AUD',
  '00',
  '01',
  '00.1',
  '1_000',
  '1,000',
  '1,5',
  "1'000",
  '1 000',
  ' 1',
  '1 ',
  '1\n',
  '\n1',
  '1\r\n',
  '1\t',
  '1\0',
  '\0',
  '1.1234567',
  '1234567890123456',
  '12345678901234567',
  '0.1234567890123456',
  '1.'.padEnd(40, '0'),
]
