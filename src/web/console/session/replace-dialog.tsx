import { Dialog } from '../pieces/dialog.tsx'
import { momentText } from '../pieces/moment.tsx'
import type { Claims } from './token.ts'

type Props = {
  /** Who is signed in. */
  readonly current: Claims
  /** Who the token that came with the address says it is for; the server has not been asked. */
  readonly offered: Claims
  readonly onKeep: () => void
  readonly onReplace: () => void
}

/** Asks whether a token that came with the address is to replace the session. */
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

/** The longest name that is shown: a token may say anything. */
const LONGEST = 80

function nameOf({ subject }: Claims): string {
  if (subject === null) return 'nobody by name'
  return subject.length > LONGEST ? `${subject.slice(0, LONGEST)}…` : subject
}
