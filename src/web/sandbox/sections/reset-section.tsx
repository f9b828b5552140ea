import { useState } from 'preact/hooks'
import { change } from '../endpoints.ts'
import { usePage } from '../page-context.ts'
import { Dialog } from '../parts/form-dialog.tsx'

/** A button that removes all data, after a confirmation. */
export function Reset() {
  const { act } = usePage()
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <p>
        All links, payments, agreements, payouts, webhooks, calls and faults are removed, and the clock shows the
        current time again. What the subgraph has stored stays there: a link that it still shows can no longer be paid.
      </p>
      <button type="button" onClick={() => setAsked(true)}>
        Reset the sandbox …
      </button>
      {isAsked && (
        <Dialog title="Remove all data of the sandbox?" onClose={() => setAsked(false)}>
          {(close) => (
            <p class="actions">
              <button
                type="button"
                class="primary"
                onClick={() => void act(() => change('/reset', {}), 'The sandbox is empty.').then(close)}
              >
                Remove all data
              </button>
              <button type="button" onClick={close}>
                Cancel
              </button>
            </p>
          )}
        </Dialog>
      )}
    </>
  )
}
