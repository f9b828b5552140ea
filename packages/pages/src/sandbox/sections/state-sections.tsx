import { useState } from 'preact/hooks'
import { change, clearFaults, type FaultAnswer } from '../endpoints.ts'
import { usePage } from '../page-context.ts'
import { NumberField, Select, Field } from '../parts/fields.tsx'
import { Table, Dialog } from '../parts/small.tsx'

const UNITS = { minutes: 60, hours: 3600, days: 86_400, seconds: 1 } as const

const STEPS = [
  ['1 minute', 60],
  ['15 minutes', 15 * 60],
  ['1 hour', 3600],
  ['1 day', 86_400],
  ['10 days', 10 * 86_400],
] as const

/** A form that moves the clock forward. */
export function ClockSection() {
  const { act } = usePage()
  const [amount, setAmount] = useState('30')
  const [unit, setUnit] = useState<string>('minutes')
  const advance = (advanceSeconds: number) =>
    act(
      () => change<{ now: string }>('/clock', { advanceSeconds }),
      ({ now }) => `The clock is at ${now.slice(0, 19).replace('T', ' ')} UTC.`,
    )
  return (
    <>
      <p>
        The clock runs, and can be advanced. Everything that falls due in between happens in order: steps of payments,
        expiry of links, retries of webhooks.
      </p>
      <p class="actions">
        {STEPS.map(([text, seconds]) => (
          <button type="button" key={text} onClick={() => void advance(seconds)}>
            Advance by {text}
          </button>
        ))}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void advance(Number(amount) * (UNITS[unit as keyof typeof UNITS] ?? 1))
        }}
      >
        <NumberField label="Advance by" value={amount} min={1} max={100_000} onInput={setAmount} />
        <Select label="Unit" value={unit} options={Object.keys(UNITS)} onChange={setUnit} />
        <button type="submit" class="primary">
          Advance
        </button>
      </form>
    </>
  )
}

/** The faults for the next calls to the interface. */
export function Faults() {
  const { snapshot, act } = usePage()
  return (
    <>
      <FaultForm />
      <Table
        caption="Pending faults, next one first"
        head={['Path', 'Method', 'Effect', 'Times left']}
        rows={snapshot.faults}
        keyOf={(_fault, index) => String(index)}
        empty={<p>No faults: every call gets its regular response.</p>}
        cells={({ path, method, answer, left }) => [
          <code>{path ?? 'any'}</code>,
          method ?? 'any',
          textOf(answer),
          left,
        ]}
      />
      <button
        type="button"
        disabled={snapshot.faults.length === 0}
        onClick={() => void act(clearFaults, 'All faults were cleared.')}
      >
        Clear all faults
      </button>
    </>
  )
}

function textOf(answer: FaultAnswer): string {
  if (typeof answer === 'string') return answer
  return 'delayMs' in answer ? `a delay of ${answer.delayMs} ms` : `an answer of ${answer.status}`
}

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
function FaultForm() {
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
    await act(() => change('/faults', fault), `The fault applies to the next ${times} matching calls.`)
  }
  return (
    <form
      class="forms"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Field label="Path; may end in *, empty for every path">
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
      <Select label="Effect" value={kind} options={KINDS} onChange={setKind} />
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
