const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** An instant in the reader's own time, with the exact one beside it; a dash for none. */
export function Moment({ at, short = false }: { readonly at: string | null | undefined; readonly short?: boolean }) {
  if (at === null || at === undefined) return <>–</>
  return (
    <time dateTime={at} title={at}>
      {(short ? TIME : FORMAT).format(new Date(at))}
    </time>
  )
}

/** An instant in the reader's own time, as text. */
export function momentText(at: number): string {
  return FORMAT.format(at)
}

/** The time of day of an instant, as text. */
export function timeText(at: number): string {
  return TIME.format(at)
}

/** A length of time in words of one unit: `340 ms`, `12 s`, `5 min`, `3 h`, `2 d`. */
export function durationText(ms: number): string {
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ]
  const [unit, length] = units.find(([, size]) => ms >= size * 2) ?? ['ms', 1]
  return `${Math.round(ms / length)} ${unit}`
}
