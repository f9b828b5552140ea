import { useEffect, useState } from 'preact/hooks'
import { Time } from './small.tsx'

/** The sandbox's clock, which runs on from the time at which it was read. */
export function Clock({ now, readAt }: { readonly now: string; readonly readAt: number }) {
  const [at, setAt] = useState(now)
  useEffect(() => {
    const show = () => setAt(new Date(Date.parse(now) + performance.now() - readAt).toISOString())
    show()
    const timer = setInterval(show, 1000)
    return () => clearInterval(timer)
  }, [now, readAt])
  return (
    <p>
      Clock <Time at={at} /> UTC
    </p>
  )
}
