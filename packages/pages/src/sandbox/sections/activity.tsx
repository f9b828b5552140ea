import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { attemptText } from '../parts/attempts.ts'
import { wordsOf } from '../parts/small.tsx'
import type { Snapshot } from '../state/endpoints.ts'
import { usePage } from '../state/page-context.ts'

const SHOWN = ['All', 'Calls', 'Webhooks'] as const
/** As many as fit beside the form of a fault. */
const MOST = 8

type Entry = {
  readonly kind: 'Calls' | 'Webhooks'
  readonly at: string
  readonly glyph: string
  readonly tone: string
  readonly title: string
  readonly meta: string
}

/** The latest calls and webhooks, in one list. */
export function Activity() {
  const { snapshot } = usePage()
  const [shown, setShown] = useState<(typeof SHOWN)[number]>('All')
  const entries = entriesOf(snapshot).filter(({ kind }) => shown === 'All' || kind === shown)
  return (
    <section class="card c7" aria-labelledby="activity">
      <header>
        <h2 id="activity">Activity</h2>
        <span class="sub">Calls received, webhooks sent</span>
        <div class="segments push" role="group" aria-label="What is shown">
          {SHOWN.map((name) => (
            <button key={name} type="button" aria-pressed={name === shown} onClick={() => setShown(name)}>
              {name}
            </button>
          ))}
        </div>
      </header>
      <ul class="activity">
        {entries.slice(0, MOST).map(({ at, glyph, tone, title, meta }, index) => (
          <li key={`${at} ${title} ${index}`}>
            <span class={`mark ${tone}`}>
              <Icon name={glyph} />
            </span>
            <div>
              <p class="title">{title}</p>
              <p class="meta">{meta}</p>
            </div>
            <time class="faint small" dateTime={at}>
              {at.slice(11, 19)}
            </time>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p class="empty">Nothing has happened yet.</p>}
    </section>
  )
}

function entriesOf({ calls, webhooks }: Snapshot): Entry[] {
  return [
    ...calls.map(({ at, method, path, status, fault }): Entry => ({
      kind: 'Calls',
      at,
      glyph: fault ? 'bug' : 'terminal',
      tone: fault ? 'look' : (status ?? 500) >= 400 ? 'fault' : 'over',
      title: `${method} ${path}`,
      meta: fault ? `A fault: ${status ?? 'no answer'}` : String(status ?? 'in progress'),
    })),
    ...webhooks.flatMap(({ attempts, status, subject, outcome }): Entry[] =>
      attempts.slice(-1).map((attempt) => ({
        kind: 'Webhooks',
        at: attempt.at,
        glyph: 'webhooks',
        tone: outcome === 'delivered' ? 'here' : 'fault',
        title: `Webhook: ${wordsOf(status)}`,
        meta: `${subject} · ${attemptText(attempt)}`,
      })),
    ),
  ].sort((a, b) => b.at.localeCompare(a.at))
}
