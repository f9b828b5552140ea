const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** An instant in the user's time zone, with the value from the graph as its title; a dash for none. */
export function Moment({ at, short = false }: { readonly at: string | null | undefined; readonly short?: boolean }) {
  if (at === null || at === undefined) return <>–</>
  return (
    <time dateTime={at} title={at}>
      {(short ? TIME : FORMAT).format(new Date(at))}
    </time>
  )
}

/** Returns an instant in the user's time zone as text. */
export function momentText(at: number): string {
  return FORMAT.format(at)
}

/** Returns the time of day of an instant as text. */
export function timeText(at: number): string {
  return TIME.format(at)
}

/** Returns a duration in one unit: `340 ms`, `12 s`, `5 min`, `3 h`, `2 d`. */
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
