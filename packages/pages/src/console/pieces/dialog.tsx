import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'

type Props = {
  readonly title: string
  /** Stands at the edge of the window, at its full height. */
  readonly isDrawer?: boolean
  readonly isWide?: boolean
  /** Keeps the dialog open while an operation is running. */
  readonly isBusy?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/**
 * A modal dialog: Escape closes it, and the focus returns to its opener. The focus starts on the heading, so that the key
 * press that opened the dialog cannot confirm it, and returns there when the focused element is removed.
 */
export function Dialog({ title, isDrawer = false, isWide = false, isBusy = false, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    heading.current?.focus()
    return () => returnFocus(opener)
  }, [])
  useEffect(() => {
    if (dialog.current?.contains(document.activeElement) !== true) heading.current?.focus()
  })
  return (
    <dialog
      ref={dialog}
      class={isDrawer ? 'drawer' : isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!isBusy) onClose()
      }}
    >
      <div class="head">
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button
          class="button quiet icon-only push"
          type="button"
          aria-label={`Close: ${title}`}
          disabled={isBusy}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      <div class="body">{children}</div>
    </dialog>
  )
}

/** The opener may have been removed, because its action is no longer available. */
function returnFocus(opener: Element | null): void {
  requestAnimationFrame(() => {
    const target = opener?.isConnected === true && !opener.matches(':disabled') ? opener : document.querySelector('h1')
    if (target instanceof HTMLElement) target.focus()
  })
}
