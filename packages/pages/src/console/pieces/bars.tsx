import type { ComponentChildren } from 'preact'
import type { Tone } from './statuses.ts'

type Props = {
  readonly name: string
  /** A few words after the name. */
  readonly about?: ComponentChildren
  /** What the bar is of; the figure. */
  readonly figure: ComponentChildren
  /** The filled part, from 0 to 1; null for a figure without a bar. */
  readonly part: number | null
  readonly tone: Tone
}

/** A figure with a bar, in a list of class `bars`. */
export function Bar({ name, about, figure, part, tone }: Props) {
  return (
    <li class={tone}>
      <span>
        {name} {about !== undefined && <span class="faint small">{about}</span>}
      </span>
      <span class="figure">{figure}</span>
      {part !== null && <Track part={part} />}
    </li>
  )
}

/** The bar alone, beside a figure that says the same. */
export function Track({ part, tone = '' }: { readonly part: number; readonly tone?: Tone | '' }) {
  return (
    <span class={`track ${tone}`} aria-hidden="true">
      <i style={{ '--part': String(Math.min(1, part)) }} />
    </span>
  )
}
