/** A text for a terminal: what could move the cursor, hide itself or turn the line round is shown as its code. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** What stands where there is nothing. */
export const NOTHING = '-'

/** Columns as wide as what is in them. */
export function table(head: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const lines = [head, ...rows].map((row) => row.map((cell) => plain(cell ?? NOTHING).replaceAll('\n', ' ')))
  const widths = head.map((_name, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One line for each name and its value. */
export function facts(pairs: readonly (readonly [name: string, value: string | null])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${plain(value ?? NOTHING)}`).join('\n')
}
