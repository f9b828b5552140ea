/** One interval of a plot: its name, its height, and both as text. */
type Plotted = {
  readonly name: string
  /** Zero or more; null where nothing was measured. */
  readonly value: number | null
  readonly text: string
}

type Props = {
  /** What is plotted. The values follow it in the text for screen readers. */
  readonly label: string
  readonly of: readonly Plotted[]
  /** The value of a full height; by default the largest. */
  readonly most?: number
  /** The last interval is still running: it alone has the colour. */
  readonly isRunning?: boolean
}

/** Height and width of a plot in its own units, which are stretched to its place. */
const SIZE = 100
/** The part of its interval that a bar takes. */
const BAR = 0.7

/** Bars from zero, one for each interval; each says its value under the pointer. */
export function Bars({ label, of, most = largest(of), isRunning = false }: Props) {
  const step = SIZE / of.length
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={textOf(label, of)}>
      {of.map(({ name, value, text }, index) => {
        const height = most === 0 ? 0 : ((value ?? 0) / most) * SIZE
        return (
          <rect
            key={name}
            class={isRunning && index < of.length - 1 ? 'past' : undefined}
            x={(index + (1 - BAR) / 2) * step}
            y={SIZE - height}
            width={step * BAR}
            height={height}
          >
            <title>{`${name}: ${text}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

/** A line through the intervals that were measured. */
export function Spark({ label, of, most = largest(of) }: Props) {
  const step = SIZE / Math.max(1, of.length - 1)
  const points = of.flatMap(({ value }, index) =>
    value === null ? [] : [`${index * step},${most === 0 ? SIZE : SIZE - (value / most) * SIZE}`],
  )
  return (
    <svg class="spark now" viewBox="0 -4 100 108" preserveAspectRatio="none" role="img" aria-label={textOf(label, of)}>
      <polyline points={points.join(' ')} />
    </svg>
  )
}

function largest(of: readonly Plotted[]): number {
  return Math.max(0, ...of.map(({ value }) => value ?? 0))
}

function textOf(label: string, of: readonly Plotted[]): string {
  const measured = of.filter(({ value }) => value !== null && value > 0)
  return `${label}: ${measured.map(({ name, text }) => `${name} ${text}`).join(', ') || 'none'}`
}
