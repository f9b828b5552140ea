import { Dialog } from '../pieces/dialog.tsx'
import { momentText } from '../pieces/moments.tsx'
import type { Claims } from './session.ts'

type Props = {
  /** The signed-in user; null if there is none. */
  readonly current: Claims | null
  /** The claims of the token from the URL; the server has not checked them. */
  readonly offered: Claims
  readonly onRefuse: () => void
  readonly onAccept: () => void
}

/**
 * Asks whether to sign in with a token from the URL: whoever sent the URL would otherwise decide in whose account the user works, and
 * what they enter there.
 */
export function OfferDialog({ current, offered, onRefuse, onAccept }: Props) {
  return (
    <Dialog title={current === null ? 'Sign in?' : 'Replace your session?'} onClose={onRefuse}>
      <p>
        {current !== null && (
          <>
            You are signed in as <strong>{nameOf(current)}</strong>, until {momentText(current.expiresAt)}.{' '}
          </>
        )}
        The URL that was opened contains a token for <strong>{nameOf(offered)}</strong>. Use it only if you trust the
        source of this URL.
      </p>
      <div class="actions">
        <button type="button" class="button primary" onClick={onRefuse}>
          {current === null ? 'Do not sign in' : `Stay signed in as ${nameOf(current)}`}
        </button>
        <button class="button" type="button" onClick={onAccept}>
          {current === null ? 'Sign in' : 'Sign out, and sign in'} as {nameOf(offered)}
        </button>
      </div>
    </Dialog>
  )
}

/** Maximum length of a displayed name, because a token may contain any text. */
const LONGEST = 80

function nameOf({ subject }: Claims): string {
  if (subject === null) return 'an unnamed user'
  return subject.length > LONGEST ? `${subject.slice(0, LONGEST)}…` : subject
}
