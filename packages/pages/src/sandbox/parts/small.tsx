import type { ComponentChildren } from 'preact'
import { useEffect, useState, useId, useRef } from 'preact/hooks'
import { Glyph, Icon } from '../../design/icons.tsx'
import { usePage } from '../state/page-context.ts'

/** An instant in UTC, with the day if it is another than the clock's; a dash for null. The whole of it is its title. */
export function Time({ at }: { readonly at: string | null }) {
  const { now } = usePage().snapshot.state
  if (at === null) return <>–</>
  return (
    <time dateTime={at} title={at}>
      {at.slice(0, 10) === now.slice(0, 10) ? '' : `${at.slice(5, 10)} `}
      {at.slice(11, 19)}
    </time>
  )
}

const GLYPHS = { here: 'done', fault: 'fail', look: 'doubt', back: 'gone', now: 'half', over: 'open' }

type Tone = keyof typeof GLYPHS

const TONES: Readonly<Record<string, Tone>> = {
  received: 'here',
  active: 'here',
  completed: 'here',
  delivered: 'here',
  settled: 'here',
  failed: 'fault',
  given_up: 'fault',
  dispute_lost: 'fault',
  in_dispute: 'look',
  retrying: 'look',
  expired: 'over',
  cancelled: 'over',
  return_pending: 'back',
  partially_refunded: 'back',
  return_received: 'back',
  return_rejected: 'look',
  return_expired: 'look',
}

/** A status of the payments API as a glyph and words; what else there is to say is its title. */
export function Status({ status, detail }: { readonly status: string; readonly detail?: string | null }) {
  const tone = TONES[status] ?? 'now'
  return (
    <span class={`status ${tone}`} title={detail ?? undefined}>
      <Glyph name={GLYPHS[tone]} />
      {wordsOf(status)}
    </span>
  )
}

/** Returns `in_dispute` as "In dispute". */
export function wordsOf(status: string): string {
  const text = status.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function padded(amount: string, currency: string): string {
  const { maximumFractionDigits: digits = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  const format = new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: 20 })
  // Of a text, so that no digit is lost.
  return format.format(amount as Intl.StringNumericLiteral)
}

/** An amount, with as many decimals as the currency has, or more if the body has them; the currency behind it. */
export function Money({ amount, currency }: { readonly amount: string; readonly currency: string }) {
  return (
    <span class="amount">
      {padded(amount, currency)} <abbr title={currency}>{currency}</abbr>
    </span>
  )
}

/** A button that copies a text. */
function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const { act } = usePage()
  return (
    <button
      class="copy"
      type="button"
      title={`Copy ${what}`}
      onClick={() => void act(() => navigator.clipboard.writeText(text), `Copied: ${what}.`)}
    >
      <Icon name="copy" />
      <span class="hidden-text">Copy {what}</span>
    </button>
  )
}

/** A value that is chosen by copying it. */
export function Value({ text, what = text }: { readonly text: string; readonly what?: string }) {
  return (
    <span class="id">
      <span>{text}</span>
      <Copy text={text} what={what} />
    </span>
  )
}

/** Says that a list is empty; another sentence when a search found nothing. */
export function Empty({ what, children }: { readonly what: string; readonly children?: ComponentChildren }) {
  const { query } = usePage()
  return (
    <p>
      {query.search === '' ? (children ?? `There are no ${what} yet.`) : `No ${what} with “${query.search}” in it.`}
    </p>
  )
}

/** Machine-readable text with a button to copy it; JSON is shown in lines, and copied as it is. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure class="stack">
      <figcaption class="row medium">
        {label} <Copy text={text} what={label} />
      </figcaption>
      <pre class="code" tabIndex={0}>
        <code>{formatted(text)}</code>
      </pre>
    </figure>
  )
}

function formatted(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

/** The sandbox's clock, which runs on from the time at which it was read. */
export function useClock({ now, readAt }: { readonly now: string; readonly readAt: number }): string {
  const [at, setAt] = useState(now)
  useEffect(() => {
    const show = () => setAt(new Date(Date.parse(now) + performance.now() - readAt).toISOString())
    show()
    const timer = setInterval(show, 1000)
    return () => clearInterval(timer)
  }, [now, readAt])
  return at
}

/** A column: its title, and the class of its cells. */
export type Column = string | readonly [title: string, className: string]

export type TableProps<Row> = {
  readonly caption: string
  readonly head: readonly Column[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row, index: number) => string
  /** The cells of a row; the first is the row header. */
  readonly cells: (row: Row) => readonly ComponentChildren[]
  /** Shown instead of a table without rows. */
  readonly empty: ComponentChildren
}

/** A table in a card; its rows fold on a phone. */
export function Table<Row>({ caption, head, rows, keyOf, cells, empty }: TableProps<Row>) {
  const id = useId()
  const columns = head.map((column) => (typeof column === 'string' ? ([column, ''] as const) : column))
  if (rows.length === 0) return <div class="card empty">{empty}</div>
  return (
    <section class="card" aria-labelledby={id}>
      <h2 class="hidden-text" id={id}>
        {caption}
      </h2>
      {/* Focusable, because users without a pointer scroll with the keyboard. */}
      <div class="table-wrap" role="group" aria-labelledby={id} tabIndex={0}>
        <table class="table folds" aria-labelledby={id}>
          <thead>
            <tr>
              {columns.map(([title, className]) => (
                <th scope="col" key={title} class={className === 'number' ? 'number' : undefined}>
                  {title === 'Actions' ? <span class="hidden-text">Actions</span> : title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={keyOf(row, index)}>
                {cells(row).map((cell, at) => {
                  const [title = '', className = ''] = columns[at] ?? []
                  return at === 0 ? (
                    <th scope="row" key={title} class={className}>
                      {cell}
                    </th>
                  ) : (
                    <td key={title} class={className}>
                      {cell}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
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
    <dialog class="dialog wide" ref={element} aria-labelledby={id} onClose={onClose}>
      <header class="head">
        <h2 id={id}>{title}</h2>
        <button class="button quiet icon-only push" type="button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <div class="body">
        {children(close)}
        {/* Screen readers do not announce content behind a modal dialog. */}
        <p class="faint" role="status">
          {notice}
        </p>
      </div>
    </dialog>
  )
}
