import { useState } from 'preact/hooks'
import { answerText } from '../parts/attempts.ts'
import { NumberField, Select, TextField } from '../parts/fields.tsx'
import { Dialog, Status, Table, Time } from '../parts/small.tsx'
import { type Change, change, type Deliveries, type Snapshot } from '../state/endpoints.ts'
import { type Subject, usePage } from '../state/page-context.ts'

type SubjectFormProps = { readonly subject: Subject; readonly onDone: () => void }

/** A form that sets any status, even if the payments API would not make this transition. */
function StatusForm({ subject, onDone }: SubjectFormProps) {
  const { facts, act } = usePage()
  const statuses = statusesOf(facts.about.statuses, subject)
  const [status, setStatus] = useState(statuses[0] ?? '')
  const [errorCode, setErrorCode] = useState('generic_declined')
  const [refundAmount, setRefundAmount] = useState('')
  const [silent, setSilent] = useState(false)
  const isPayment = subject.kind !== 'agreements' && subject.kind !== 'payouts'
  const fails = isPayment && status === 'failed'
  const refunds = isPayment && facts.about.statuses.refunds.includes(status)
  const submit = async (event: Event) => {
    event.preventDefault()
    const body = {
      status,
      silent,
      ...(fails ? { errorCode } : {}),
      ...(refunds && refundAmount !== '' ? { refundAmount } : {}),
    }
    const path = `/${subject.kind}/${subject.id}/status`
    if (await act(() => change(path, body), `${subject.id} is ${status}${silent ? ', silently' : ''}.`)) onDone()
  }
  return (
    <form class="stack-3" onSubmit={(event) => void submit(event)}>
      <h3>Set status</h3>
      <Select label="Status" value={status} options={statuses} onChange={setStatus} />
      {fails && (
        <Select
          label="Failure code"
          value={errorCode}
          options={facts.magic.failures.map(({ code }) => code)}
          onChange={setErrorCode}
        />
      )}
      {refunds && (
        <TextField
          label="Total refunded; empty for the default"
          inputMode="decimal"
          value={refundAmount}
          onInput={setRefundAmount}
        />
      )}
      <label class="check">
        <input type="checkbox" checked={silent} onChange={({ currentTarget }) => setSilent(currentTarget.checked)} />
        Silent: send no webhook
      </label>
      <button type="submit" class="button primary">
        Set status
      </button>
    </form>
  )
}

/** Returns the statuses that a subject can have. */
function statusesOf(statuses: Readonly<Record<string, readonly string[]>>, { kind }: Subject): readonly string[] {
  return statuses[kind] ?? statuses['payments'] ?? []
}

const KINDS = [
  ['duplicate', 'duplicate: the last one again'],
  ['late', 'late: an older one, now'],
  ['reordered', 'reordered: the next two, swapped'],
  ['forged', 'forged: by another secret'],
] as const

/** A form for webhook faults, which do not change the actual status. */
function DeliverForm({ subject, onDone }: { readonly subject: Subject; readonly onDone: () => void }) {
  const { facts, act } = usePage()
  const [kind, setKind] = useState<string>('duplicate')
  const [status, setStatus] = useState('')
  const [count, setCount] = useState('1')
  const takesStatus = kind === 'late' || kind === 'forged'
  const submit = async (event: Event) => {
    event.preventDefault()
    const body = {
      kind,
      ...(takesStatus && status !== '' ? { status } : {}),
      ...(kind === 'duplicate' ? { count: Number(count) } : {}),
    }
    const path = `/${subject.kind}/${subject.id}/deliveries`
    if (await act(() => change<Deliveries>(path, body), outcomeText)) onDone()
  }
  return (
    <form class="stack-3" onSubmit={(event) => void submit(event)}>
      <h3>Inject webhook faults</h3>
      <Select label="Fault" value={kind} options={KINDS} onChange={setKind} />
      {takesStatus && (
        <Select
          label="Status sent"
          value={status}
          options={[['', 'as it was sent'], ...statusesOf(facts.about.statuses, subject)]}
          onChange={setStatus}
        />
      )}
      {kind === 'duplicate' && <NumberField label="Times" value={count} min={1} max={1000} onInput={setCount} />}
      <button type="submit" class="button">
        Deliver
      </button>
    </form>
  )
}

function outcomeText({ armed, deliveries }: Deliveries): string {
  if (armed) return 'The next two webhooks will be swapped.'
  return `Delivered, and answered: ${deliveries.map(answerText).join(', ')}.`
}

/** The actions on one subject, and its history. */
export function ActDialog({ subject, onClose }: { readonly subject: Subject; readonly onClose: () => void }) {
  const { snapshot } = usePage()
  return (
    <Dialog title={subject.title} onClose={onClose}>
      {(close) => (
        <>
          <div class="two">
            <StatusForm subject={subject} onDone={close} />
            <DeliverForm subject={subject} onDone={close} />
          </div>
          <Table
            caption="Status history"
            head={['At', 'Status', 'Webhook']}
            rows={historyOf(snapshot, subject)}
            keyOf={({ at }, index) => `${at} ${index}`}
            empty={<p>No status yet.</p>}
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
