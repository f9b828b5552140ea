import { useEffect, useState } from 'preact/hooks'
import { exampleOf, type ExampleName } from '../examples.ts'
import { usePage } from '../page-context.ts'

/** An instant in UTC; renders nothing for null. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return null
  return <time dateTime={at}>{at.slice(0, 19).replace('T', ' ')}</time>
}

const GOOD = new Set(['received', 'active', 'completed', 'delivered', 'settled'])
const BAD = new Set(['failed', 'expired', 'given_up', 'dispute_lost', 'cancelled', 'return_rejected', 'return_expired'])

/** A status as the payments API spells it; the colour carries no additional meaning. */
export function Status({ status, detail }: { readonly status: string; readonly detail?: string | null }) {
  const tone = GOOD.has(status) ? 'good' : BAD.has(status) ? 'bad' : 'moving'
  return (
    <span class={tone}>
      {status}
      {detail ? ` (${detail})` : ''}
    </span>
  )
}

/** A button that copies a text. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const { act } = usePage()
  return (
    <button type="button" onClick={() => void act(() => navigator.clipboard.writeText(text), `Copied: ${what}.`)}>
      Copy<span class="visually-hidden"> {what}</span>
    </button>
  )
}

/** A hint for an empty list; another sentence when a search found nothing. */
export function Begin({ what, example }: { readonly what: string; readonly example: ExampleName }) {
  const { facts, query } = usePage()
  if (query.search !== '')
    return (
      <p>
        No {what} with “{query.search}” in it.
      </p>
    )
  const text = exampleOf(facts.about, example)
  return (
    <>
      <p>There are no {what} yet. Make one with your application, or with this command:</p>
      <Code label={`Command for ${what}`} text={text} />
    </>
  )
}

/** Machine-readable text with a button to copy it. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure>
      <figcaption>
        {label} <Copy text={text} what={label} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}

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
