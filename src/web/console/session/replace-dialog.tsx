import { Dialog } from '../pieces/dialog.tsx'
import { momentText } from '../pieces/values.tsx'
import type { Claims } from './session.ts'

type Props = {
  /** The signed-in user. */
  readonly current: Claims
  /** The claims of the token from the URL; the server has not checked them. */
  readonly offered: Claims
  readonly onKeep: () => void
  readonly onReplace: () => void
}

/** Asks whether a token from the URL should replace the session. */
export function ReplaceDialog({ current, offered, onKeep, onReplace }: Props) {
  return (
    <Dialog title="Replace your session?" onClose={onKeep}>
      <p>
        You are signed in as <strong>{nameOf(current)}</strong>, until {momentText(current.expiresAt)}. The address that
        was opened brings a token for <strong>{nameOf(offered)}</strong>. Use it only if you know where the address
        comes from.
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={onKeep}>
          Stay signed in as {nameOf(current)}
        </button>
        <button type="button" onClick={onReplace}>
          Sign out, and sign in as {nameOf(offered)}
        </button>
      </div>
    </Dialog>
  )
}

/** Maximum length of a displayed name, because a token may contain any text. */
const LONGEST = 80

function nameOf({ subject }: Claims): string {
  if (subject === null) return 'nobody by name'
  return subject.length > LONGEST ? `${subject.slice(0, LONGEST)}…` : subject
}
