import type { ComponentChildren, TargetedToggleEvent } from 'preact'
import { useId, useRef } from 'preact/hooks'

type Props = {
  /** The name of the group. */
  readonly label: string
  /** What the opener shows. */
  readonly opener: ComponentChildren
  /** The look of the opener; by default that of a button. */
  readonly openerClass?: string
  readonly children: ComponentChildren
}

/** A button that opens a popover below it, or, on a phone, a sheet at the lower edge. Escape and a click elsewhere close it. */
export function Popover({ label, opener, openerClass = 'button', children }: Props) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const place = (event: TargetedToggleEvent<HTMLDivElement>) => {
    const at = button.current?.getBoundingClientRect()
    const pop = event.currentTarget
    if (at === undefined || event.newState !== 'open') return
    const start = Math.min(at.left, document.documentElement.clientWidth - pop.offsetWidth - MARGIN)
    pop.style.setProperty('--x', `${Math.max(MARGIN, start) + window.scrollX}px`)
    pop.style.setProperty('--y', `${at.bottom + GAP + window.scrollY}px`)
    pop.querySelector<HTMLElement>('input, select, button, a')?.focus({ preventScroll: true })
  }
  return (
    <>
      <button ref={button} type="button" class={openerClass} popovertarget={id} aria-haspopup="dialog">
        {opener}
      </button>
      <div class="pop" id={id} popover="auto" role="group" aria-label={label} onToggle={place}>
        {children}
      </div>
    </>
  )
}

/** Distances to the opener and to the edge of the window, in CSS pixels. */
const GAP = 6
const MARGIN = 8

/** Closes the popover that an element is in. */
export function closePopover(element: Element): void {
  element.closest<HTMLElement>('[popover]')?.hidePopover()
}
