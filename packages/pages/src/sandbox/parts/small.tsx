import type { ComponentChildren } from 'preact'
import { useEffect, useState, useId, useRef } from 'preact/hooks'
import { exampleOf, type ExampleName } from '../examples.ts'
import { usePage } from '../page-context.ts'

/** An instant in UTC; renders nothing for null. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return null
  // A narrow column breaks it between the two, and not at a hyphen.
  return (
    <time dateTime={at}>
      <span>{at.slice(0, 10)}</span> <span>{at.slice(11, 19)}</span>
    </time>
  )
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

export type TableProps<Row> = {
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row, index: number) => string
  /** The cells of a row; the first is the row header. */
  readonly cells: (row: Row) => readonly ComponentChildren[]
  /** Shown instead of a table without rows. */
  readonly empty: ComponentChildren
}

/** A table with a caption; it scrolls sideways when it is too wide. */
export function Table<Row>({ caption, head, rows, keyOf, cells, empty }: TableProps<Row>) {
  const id = useId()
  if (rows.length === 0) return <div class="empty">{empty}</div>
  return (
    // Focusable, because users without a pointer scroll with the keyboard.
    <div class="scroll" role="region" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id}>{caption}</caption>
        <thead>
          <tr>
            {head.map((text) => (
              <th scope="col" key={text}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {cells(row).map((cell, column) =>
                column === 0 ? (
                  <th scope="row" key={head[column]}>
                    {cell}
                  </th>
                ) : (
                  <td key={head[column]}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

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
