import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { usePage } from '../page-context.ts'

export type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  /** The content; `close` closes the dialog. */
  readonly children: (close: () => void) => ComponentChildren
}

/** A modal dialog that is open while it is mounted. Escape and its button close it, and the focus returns to the opener. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  const { notice } = usePage()
  const close = () => element.current?.close()
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </header>
      {children(close)}
      {/* Screen readers do not announce content behind a modal dialog. */}
      <p role="status">{notice}</p>
    </dialog>
  )
}
