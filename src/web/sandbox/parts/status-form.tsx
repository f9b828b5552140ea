import { useState } from 'preact/hooks'
import { change } from '../endpoints.ts'
import { usePage, type Subject } from '../page-context.ts'
import { Field, Select } from './fields.tsx'

type SubjectFormProps = { readonly subject: Subject; readonly onDone: () => void }

/** A form that sets any status, even if the payments API would not make this transition. */
export function StatusForm({ subject, onDone }: SubjectFormProps) {
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
    <form onSubmit={(event) => void submit(event)}>
      <h3>Set its status</h3>
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
        <Field label="Paid back in all; empty for the usual">
          {(id) => (
            <input
              id={id}
              inputMode="decimal"
              value={refundAmount}
              onInput={({ currentTarget }) => setRefundAmount(currentTarget.value.trim())}
            />
          )}
        </Field>
      )}
      <label class="check">
        <input type="checkbox" checked={silent} onChange={({ currentTarget }) => setSilent(currentTarget.checked)} />
        Silently: no webhook tells of it
      </label>
      <button type="submit" class="primary">
        Set status
      </button>
    </form>
  )
}

/** Returns the statuses that a subject can have. */
export function statusesOf(
  statuses: Readonly<Record<string, readonly string[]>>,
  { kind }: Subject,
): readonly string[] {
  return statuses[kind] ?? statuses['payments'] ?? []
}
