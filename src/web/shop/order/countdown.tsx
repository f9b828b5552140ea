import { useEffect, useState } from 'preact/hooks'
import { remaining } from '../../../client/index.ts'

type CountdownProps = {
  readonly until: string
  /** How far the server's clock is ahead of this device's, in milliseconds. */
  readonly serverOffsetMs: number
}

/**
 * Minutes and seconds until an instant of the server's clock. Not a live region, because screen readers would announce every
 * second.
 */
export function Countdown({ until, serverOffsetMs }: CountdownProps) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(ticking)
  }, [])
  const seconds = Math.ceil(remaining(until, serverOffsetMs, now) / 1_000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return (
    <span role="timer">
      <bdi>
        {minutes}:{String(rest).padStart(2, '0')}
      </bdi>
    </span>
  )
}
