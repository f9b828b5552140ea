import { useState } from 'preact/hooks'
import { change, type Deliveries } from '../endpoints.ts'
import { usePage, type Subject } from '../page-context.ts'
import { answerText } from '../webhook-dialog.tsx'
import { NumberField, Select } from './fields.tsx'
import { statusesOf } from './status-form.tsx'

const KINDS = [
  ['duplicate', 'duplicate: the last one again'],
  ['late', 'late: an older one, now'],
  ['reordered', 'reordered: the next two, swapped'],
  ['forged', 'forged: by another secret'],
] as const

/** A form for webhook faults, which do not change the actual status. */
export function DeliverForm({ subject, onDone }: { readonly subject: Subject; readonly onDone: () => void }) {
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
    <form onSubmit={(event) => void submit(event)}>
      <h3>Deliver its webhooks badly</h3>
      <Select label="How" value={kind} options={KINDS} onChange={setKind} />
      {takesStatus && (
        <Select
          label="Status told"
          value={status}
          options={[['', 'as it was sent'], ...statusesOf(facts.about.statuses, subject)]}
          onChange={setStatus}
        />
      )}
      {kind === 'duplicate' && <NumberField label="Times" value={count} min={1} max={1000} onInput={setCount} />}
      <button type="submit">Deliver</button>
    </form>
  )
}

function outcomeText({ armed, deliveries }: Deliveries): string {
  if (armed) return 'The next two webhooks will be swapped.'
  return `Delivered, and answered: ${deliveries.map(answerText).join(', ')}.`
}
