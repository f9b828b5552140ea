import { remaining } from 'payments-subgraph-client'
import { Icon } from 'payments-subgraph-pages/design/icons'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useSpeech } from '../language.ts'

type CountdownProps = {
  readonly until: string
  /** How far the server's clock is ahead of this device's, in milliseconds. */
  readonly serverOffsetMs: number
}

/** The time that a link is open at first, as far as the page can know: the payments API's default. */
const USUAL_MS = 30 * 60_000

/** The time left to pay, in a ring that empties. A timer is no live region, so screen readers do not read out every second. */
export function Ring(props: CountdownProps) {
  const { texts } = useSpeech()
  const { text, part } = useCountdown(props)
  return (
    <span class="ring">
      <svg viewBox="0 0 64 64" aria-hidden="true">
        <circle cx="32" cy="32" r="29" />
        <circle
          class="left"
          cx="32"
          cy="32"
          r="29"
          pathLength={100}
          stroke-dasharray={`${Math.round(part * 100)} 100`}
          transform="rotate(-90 32 32)"
        />
      </svg>
      <b class="figure" role="timer" aria-label={texts.timeLeft}>
        <bdi>{text}</bdi>
      </b>
    </span>
  )
}

type TimeLeftProps = CountdownProps & { readonly label: string; readonly hasBar?: boolean }

/** The same in a line of text, with a bar below it. */
export function TimeLeft({ label, hasBar = false, ...props }: TimeLeftProps) {
  const { text, part } = useCountdown(props)
  return (
    <>
      <p class="time-left">
        <Icon name="clock" />
        {label}{' '}
        <b class="figure" role="timer">
          <bdi>{text}</bdi>
        </b>
      </p>
      {hasBar && (
        <span class="thin">
          <i style={{ '--part': String(part) }} />
        </span>
      )}
    </>
  )
}

/** Minutes and seconds until an instant of the server's clock, and the part that is left of the longest time seen. */
function useCountdown({ until, serverOffsetMs }: CountdownProps): { readonly text: string; readonly part: number } {
  const { language } = useSpeech()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(ticking)
  }, [])
  const left = remaining(until, serverOffsetMs, now)
  const longest = useRef(USUAL_MS)
  longest.current = Math.max(longest.current, left)
  const seconds = Math.ceil(left / 1_000)
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  const twoDigits = new Intl.NumberFormat(language, { minimumIntegerDigits: 2 })
  const text = shown.map((count, index) => (index === 0 ? count.toLocaleString(language) : twoDigits.format(count)))
  return { text: text.join(':'), part: left / longest.current }
}
