/** A measured figure and its goal. */
export type Figure = {
  readonly name: string
  readonly value: number
  /** Number of decimals that are printed. */
  readonly decimals: number
  readonly unit?: string
  /** Null if the figure has no goal. */
  readonly goal: { readonly kind: 'at least' | 'at most'; readonly value: number } | null
}

/** Returns the middle value, or the mean of the two middle values; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2
}

/** Formats a number with thousands separators. */
export function shown(value: number, decimals = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

/** Returns a table of figures: name, value, goal, and whether the goal is met. */
export function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, decimals, unit = '', goal }) => {
    const withUnit = (number: number) => `${shown(number, decimals)}${unit === '' ? '' : ` ${unit}`}`
    if (goal === null) return [name, withUnit(value), '', '']
    const met = goal.kind === 'at least' ? value >= goal.value : value <= goal.value
    return [name, withUnit(value), `${goal.kind} ${withUnit(goal.value)}`, met ? 'met' : 'missed']
  })
  return table(['figure', 'measured', 'goal', ''], rows)
}

/** Returns the figures that have a goal, which are those of the page. */
export function withGoal(figures: readonly Figure[]): Figure[] {
  return figures.filter(({ goal }) => goal !== null)
}

/** Returns a Markdown table with aligned columns, which is readable in a terminal, too. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
