import { useMutation } from '@urql/preact'
import { useId, useRef, useState } from 'preact/hooks'
import { DeleteNoteDocument, type NotePartsFragment, WriteNoteDocument } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { newKey } from '../pieces/new-key.ts'
import type { TimelineItem } from '../pieces/timeline.tsx'
import { useScope, useSession } from '../session/session.ts'

type Props = { readonly paymentId: string; readonly onNoted: () => void }

/** Writes a note on a payment; nothing for those who may not read it. A retry does not write it twice. */
export function NoteForm({ paymentId, onNoted }: Props) {
  const id = useId()
  const key = useRef(newKey())
  const [text, setText] = useState('')
  const [{ data, error }, execute] = useMutation(documentOf(WriteNoteDocument))
  const result = data?.createPaymentNote
  const [isBusy, write] = useSingle(async () => {
    const answer = await execute({ input: { idempotencyKey: key.current, paymentId, text } })
    if (answer.data?.createPaymentNote?.__typename !== 'CreatePaymentNoteSuccess') return
    key.current = newKey()
    setText('')
    onNoted()
  })
  const mayWrite = [useScope('payments:pii'), useScope('payments:write')].every(Boolean)
  if (!mayWrite) return null
  return (
    <form
      class="note-form"
      onSubmit={(event) => {
        event.preventDefault()
        write()
      }}
    >
      <label class="hidden-text" for={id}>
        Note
      </label>
      <textarea
        id={id}
        class="input"
        rows={1}
        maxLength={1_000}
        placeholder="Write a note for other operators"
        value={text}
        onInput={(event) => {
          // Another text is another note.
          key.current = newKey()
          setText(event.currentTarget.value)
        }}
      />
      <button class="button" disabled={isBusy || text.trim() === ''} aria-busy={isBusy}>
        Add note
      </button>
      <RequestFailure error={error} />
      {result != null && 'code' in result && !isBusy && <FailureNotice failure={result} />}
    </form>
  )
}

/** Returns a note as an item of a timeline. */
export function itemOfNote(note: NotePartsFragment, onNoted: () => void): TimelineItem {
  const { id, text, writtenAt } = note
  return {
    id: `note ${id}`,
    at: writtenAt,
    tone: 'over',
    icon: 'info',
    title: <span class="note-text">{text}</span>,
    about: [<Author key={id} of={note} onNoted={onNoted} />],
  }
}

function Author({ of: { id, author }, onNoted }: { readonly of: NotePartsFragment; readonly onNoted: () => void }) {
  const { subject } = useSession().claims
  const mayWrite = useScope('payments:write')
  const [{ error }, execute] = useMutation(documentOf(DeleteNoteDocument))
  const [isBusy, remove] = useSingle(async () => {
    await execute({ id })
    onNoted()
  })
  return (
    <>
      Note by {author ?? 'an unnamed user'}{' '}
      {mayWrite && author === subject && (
        <button class="button quiet" type="button" disabled={isBusy} onClick={remove}>
          Delete note
        </button>
      )}
      <RequestFailure error={error} />
    </>
  )
}
