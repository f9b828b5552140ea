/**
 * Returns an amount that was typed in a locale's way as a plain decimal: `100,35` and `1.250,50` in German, `1,250.50` in English. Text that
 * is written in another way is returned as it is.
 */
export function plainAmount(typed: string, locale: string): string {
  const text = typed.trim()
  const parts = new Intl.NumberFormat(locale, { useGrouping: 'always' }).formatToParts(1_234.5)
  const sign = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  const [decimal, group] = [sign('decimal'), sign('group')]
  const [whole = '', decimals, ...more] = text.split(decimal)
  if (more.length > 0 || !/^\d*$/.test(decimals ?? '')) return text
  // Without its decimal sign, a number such as 1.250 would be ambiguous where the point groups digits.
  if (decimals === undefined && decimal !== '.') return text
  const groups = whole.split(/\s/.test(group) ? /\s/ : group)
  const isGrouped =
    groups.length > 1 && groups.every((digits, index) => (index === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(digits))
  const digits = isGrouped ? groups.join('') : whole
  return decimals === undefined ? digits : `${digits}.${decimals}`
}
