import type { Change, Snapshot } from './endpoints.ts'
import { usePage, type Subject } from './page-context.ts'
import { DeliverForm } from './parts/deliver-form.tsx'
import { Table } from './parts/field-table.tsx'
import { Dialog } from './parts/form-dialog.tsx'
import { Status, Time } from './parts/small.tsx'
import { StatusForm } from './parts/status-form.tsx'

/** The actions on one subject, and its history. */
export function ActDialog({ subject, onClose }: { readonly subject: Subject; readonly onClose: () => void }) {
  const { snapshot } = usePage()
  return (
    <Dialog title={subject.title} onClose={onClose}>
      {(close) => (
        <>
          <div class="forms">
            <StatusForm subject={subject} onDone={close} />
            <DeliverForm subject={subject} onDone={close} />
          </div>
          <Table
            caption="Statuses so far"
            head={['At', 'Status', 'Webhook']}
            rows={historyOf(snapshot, subject)}
            keyOf={({ at }, index) => `${at} ${index}`}
            empty={<p>Nothing has happened to it yet.</p>}
            cells={({ at, status, silent }) => [
              <Time at={at} />,
              <Status status={status} />,
              silent ? 'none' : 'where there is an address',
            ]}
          />
        </>
      )}
    </Dialog>
  )
}

function historyOf({ state }: Snapshot, { kind, id }: Subject): readonly Change[] {
  const things = kind === 'gateway_payments' ? state.gatewayPayments : state[kind]
  const isIt = (thing: (typeof things)[number]) => ('uuid' in thing ? thing.uuid === id : String(thing.id) === id)
  return [...things].find(isIt)?.history ?? []
}
