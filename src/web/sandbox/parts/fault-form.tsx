import { useState } from 'preact/hooks'
import { change, type FaultAnswer } from '../endpoints.ts'
import { usePage } from '../page-context.ts'
import { Field, NumberField, Select } from './fields.tsx'

const KINDS = [
  ['status', 'an answer of its own'],
  ['hang', 'hang: never an answer'],
  ['reset', 'reset: nothing is done, the connection breaks'],
  ['drop-after', 'drop-after: it is done, and the connection breaks'],
  ['delay', 'delay: the proper answer, later'],
] as const

const PATHS = [
  '/v3/payin_links',
  '/v3/payin_links/*',
  '/v3/payin_links/refund',
  '/v3/payin_methods',
  '/v2/payins',
  '/v2/payouts',
  '/v1/payouts',
  '/v1/pay_to/payment_agreement',
  '/v1/payment_gateways/create_payment',
  '/*',
]

const METHODS = [['', 'any'], 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A form that adds a fault for the next matching calls. */
export function FaultForm() {
  const { act } = usePage()
  const [path, setPath] = useState('/v3/payin_links')
  const [method, setMethod] = useState('')
  const [kind, setKind] = useState<string>('status')
  const [status, setStatus] = useState('503')
  const [text, setText] = useState('')
  const [delayMs, setDelayMs] = useState('1000')
  const [times, setTimes] = useState('1')
  const submit = async () => {
    const answer = kind === 'delay' ? { delayMs: Number(delayMs) } : kind === 'status' ? answerOf(status, text) : kind
    const fault = {
      ...(path === '' ? {} : { path }),
      ...(method === '' ? {} : { method }),
      times: Number(times),
      answer,
    }
    await act(() => change('/faults', fault), `The next ${times} matching calls will meet it.`)
  }
  return (
    <form
      class="forms"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Field label="Path; * at its end stands for any rest, empty for every path">
        {(id) => (
          <input
            id={id}
            list="paths"
            value={path}
            pattern="/.*"
            onInput={({ currentTarget }) => setPath(currentTarget.value.trim())}
          />
        )}
      </Field>
      <datalist id="paths">
        {PATHS.map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
      <Select label="Method" value={method} options={METHODS} onChange={setMethod} />
      <Select label="What happens" value={kind} options={KINDS} onChange={setKind} />
      {kind === 'status' && (
        <>
          <NumberField label="Status" value={status} min={200} max={599} onInput={setStatus} />
          <Field label="Body, JSON or text; may be empty">
            {(id) => (
              <textarea id={id} rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
            )}
          </Field>
        </>
      )}
      {kind === 'delay' && (
        <NumberField label="Milliseconds" value={delayMs} min={0} max={3_600_000} onInput={setDelayMs} />
      )}
      <NumberField label="Times" value={times} min={1} max={1_000_000} onInput={setTimes} />
      <button type="submit" class="primary">
        Add fault
      </button>
    </form>
  )
}

function answerOf(status: string, text: string): FaultAnswer {
  if (text.trim() === '') return { status: Number(status) }
  try {
    return { status: Number(status), body: JSON.parse(text) as unknown }
  } catch {
    return { status: Number(status), body: text }
  }
}
