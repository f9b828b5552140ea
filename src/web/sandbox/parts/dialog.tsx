import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { usePage } from '../page-context.ts'

export type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  /** What stands in it; `close` closes it. */
  readonly children: (close: () => void) => ComponentChildren
}

/** A modal dialog that is open as long as it is there. Escape and its button close it, and focus goes back. */
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
      {/* What lies behind a modal dialog is not read out. */}
      <p role="status">{notice}</p>
    </dialog>
  )
}
