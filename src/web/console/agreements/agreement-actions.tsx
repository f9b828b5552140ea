import { useState } from 'preact/hooks'
import type { AgreementStatus, AgreementStatusChange } from '../generated/graphql.ts'
import type { AgreementNow } from './agreement.tsx'
import { ChangeDialog, type Change } from './change-dialog.tsx'

const SUSPEND: Change = {
  status: 'SUSPENDED',
  name: 'Suspend',
  consequence: 'Nothing can be drawn until it is resumed.',
}
const RESUME: Change = { status: 'ACTIVE', name: 'Resume', consequence: 'Payments can be drawn again.' }
const CANCEL: Change = {
  status: 'CANCELLED',
  name: 'Cancel',
  consequence: 'It ends for good, and cannot be put back in force.',
}

/** The changes that each status allows; an unknown status allows all. */
const CHANGES: Readonly<Record<AgreementStatus, readonly Change[]>> = {
  CREATED: [CANCEL],
  ACTIVE: [SUSPEND, CANCEL],
  SUSPENDED: [RESUME, CANCEL],
  CANCELLED: [],
  FAILED: [],
  UNRECOGNISED: [SUSPEND, RESUME, CANCEL],
}

type Props = { readonly agreement: AgreementNow; readonly onDone: () => void }

/** Buttons to suspend, resume or cancel an agreement. */
export function AgreementActions({ agreement, onDone }: Props) {
  const [asked, setAsked] = useState<AgreementStatusChange | null>(null)
  const changes = CHANGES[agreement.status]
  const change = [SUSPEND, RESUME, CANCEL].find(({ status }) => status === asked)
  if (changes.length === 0 && change === undefined) return <p class="quiet">Nothing can be changed any more.</p>
  return (
    <div class="actions">
      {changes.map(({ status, name }) => (
        <button key={status} type="button" onClick={() => setAsked(status)}>
          {name} …
        </button>
      ))}
      {change !== undefined && (
        <ChangeDialog
          agreement={agreement}
          change={change}
          onClose={() => {
            setAsked(null)
            onDone()
          }}
        />
      )}
    </div>
  )
}
