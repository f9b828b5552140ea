import type { ComponentChildren } from 'preact'
import { Glyph, Icon } from '../../design/icons.tsx'
import { dayText, Moment } from './moments.tsx'
import type { Tone } from './statuses.ts'

export type TimelineItem = {
  readonly id: string
  readonly at: string
  readonly tone: Tone
  /** A glyph of a status; or an icon. */
  readonly glyph?: string
  readonly icon?: string
  /** Whether it changed nothing. */
  readonly isMinor?: boolean
  readonly title: ComponentChildren
  /** Lines of smaller text below the title. */
  readonly about?: readonly ComponentChildren[]
}

type Props = { readonly label: string; readonly items: readonly TimelineItem[] }

/** What happened to a subject, the newest on top, by day. */
export function Timeline({ label, items }: Props) {
  const sorted = items.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  let day = ''
  return (
    <ol class="timeline" aria-label={label}>
      {sorted.map(({ id, at, tone, glyph, icon, isMinor = false, title, about = [] }) => {
        const before = day
        day = dayText(Date.parse(at))
        return (
          <>
            {day !== before && (
              <li class="day" key={day}>
                <span>{day}</span>
              </li>
            )}
            <li key={id} class={isMinor ? 'minor' : undefined}>
              <Moment at={at} isTime />
              <span class={`mark ${tone}`}>
                {glyph !== undefined && <Glyph name={glyph} />}
                {icon !== undefined && <Icon name={icon} />}
              </span>
              <div>
                <p class="title">{title}</p>
                {about.map((line, index) => (
                  <p key={index} class="meta links">
                    {line}
                  </p>
                ))}
              </div>
            </li>
          </>
        )
      })}
    </ol>
  )
}
