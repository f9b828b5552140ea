import { useEffect, useState } from 'preact/hooks'
import { preference, usePreference } from './preferences.ts'

type Props = {
  /** An instant of the graph. */
  readonly at: string | null | undefined
  /** Shows the date and the time of day instead of the time since. */
  readonly isExact?: boolean
  /** Shows the time of day alone. */
  readonly isTime?: boolean
  /** In a row that is a link, which shows the exact instant when the row has the focus. */
  readonly inRow?: boolean
}

/**
 * An instant: how long ago it was, or when it was if that is a day or more. With the pointer on it or the focus in it, the exact instant in
 * UTC is shown. A dash for none.
 */
export function Moment({ at, isExact = false, isTime = false, inRow = false }: Props) {
  usePreference('zone')
  const now = useNow()
  if (at === null || at === undefined) return <>–</>
  const instant = Date.parse(at)
  const text = isTime ? timeText(instant) : isExact ? momentText(instant) : agoText(instant, now)
  return (
    <time class="moment" dateTime={at} tabIndex={inRow ? undefined : 0}>
      <span>{text}</span>
      <span class="exact">{exactText(instant)}</span>
    </time>
  )
}

const DAY_MS = 86_400_000

/** Returns how long ago an instant was: `4 min ago`, `in 3 h`; its date and time if that is a day or more. */
export function agoText(at: number, now: number): string {
  const ms = now - at
  if (Math.abs(ms) >= DAY_MS) return format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }, at)
  if (Math.abs(ms) < 1_000) return 'now'
  return ms > 0 ? `${sinceText(ms)} ago` : `in ${sinceText(-ms)}`
}

/** Returns a time of less than a day in its largest unit. */
function sinceText(ms: number): string {
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : `${Math.floor(ms / 3_600_000)} h`
}

/** Returns an instant with date and time, in the zone that the user has chosen. */
export function momentText(at: number): string {
  return format({ dateStyle: 'medium', timeStyle: 'medium' }, at)
}

/** Returns the time of day of an instant. */
export function timeText(at: number): string {
  return format({ hour: '2-digit', minute: '2-digit', second: '2-digit' }, at)
}

/** Returns the hour of an instant. */
export function hourText(at: number): string {
  return format({ hour: '2-digit', minute: '2-digit' }, at)
}

/** Returns the day of an instant. */
export function dayText(at: number): string {
  return format({ day: 'numeric', month: 'long', year: 'numeric' }, at)
}

function exactText(at: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T')
  return `${day} ${time.replace('Z', ' UTC')}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(options: Intl.DateTimeFormatOptions, at: number): string {
  const zone = preference('zone') === 'utc' ? { timeZone: 'UTC' } : {}
  const all: Intl.DateTimeFormatOptions = { hourCycle: 'h23', ...options, ...zone }
  const key = JSON.stringify(all)
  const known = formats.get(key) ?? new Intl.DateTimeFormat(navigator.language, all)
  formats.set(key, known)
  return known.format(at)
}

/** Returns a duration in one unit: `340 ms`, `12 s`, `5 min`, `3 h`, `2 d`. */
export function durationText(ms: number): string {
  const units: [string, number][] = [
    ['d', DAY_MS],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ]
  const [unit, length] = units.find(([, size]) => ms >= size * 2) ?? ['ms', 1]
  return `${Math.round(ms / length)} ${unit}`
}

/** Milliseconds between two updates of the times since. */
const TICK_MS = 5_000
const listeners = new Set<(now: number) => void>()
let timer = 0

/** Returns the current time, which all of the page update together. */
function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    listeners.add(setNow)
    if (listeners.size === 1)
      timer = window.setInterval(() => {
        for (const listener of listeners) listener(Date.now())
      }, TICK_MS)
    return () => {
      listeners.delete(setNow)
      if (listeners.size === 0) window.clearInterval(timer)
    }
  }, [])
  return now
}
