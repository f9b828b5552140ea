import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { NumberField, Field, Select, TextField } from '../parts/fields.tsx'
import { Dialog } from '../parts/small.tsx'
import { change, clearFaults, type FaultAnswer } from '../state/endpoints.ts'
import { usePage } from '../state/page-context.ts'

/** The faults for the next calls to the interface. */
export function Faults() {
  return (
    <div class="grid">
      <NextFaults />
    </div>
  )
}

/** The pending faults, and a form that adds one. */
export function NextFaults() {
  const { snapshot, act } = usePage()
  return (
    <section class="card c5" aria-labelledby="next-faults">
      <header>
        <h2 id="next-faults">Next faults</h2>
        {snapshot.faults.length > 0 && <span class="count look push">{snapshot.faults.length}</span>}
      </header>
      <div class="body stack-3">
        {snapshot.faults.map(({ path, method, answer, left }, index) => (
          <p class="fault-line" key={index}>
            <code>
              {method ?? 'any'} {path ?? 'any path'}
            </code>
            <span>
              {textOf(answer)}, <b>{left} left</b>
            </span>
          </p>
        ))}
        <FaultForm />
        {snapshot.faults.length > 0 && (
          <p>
            <button
              class="button quiet"
              type="button"
              onClick={() => void act(clearFaults, 'All faults were cleared.')}
            >
              <Icon name="close" />
              Clear all faults
            </button>
          </p>
        )}
      </div>
    </section>
  )
}

function textOf(answer: FaultAnswer): string {
  if (typeof answer === 'string') return answer
  return 'delayMs' in answer ? `a delay of ${answer.delayMs} ms` : `an answer of ${answer.status}`
}

const KINDS = [
  ['status', 'an answer of your choice'],
  ['hang', 'hang: no response'],
  ['reset', 'reset: not processed, disconnected'],
  ['drop-after', 'drop-after: processed, then disconnected'],
  ['delay', 'delay: the normal response, late'],
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
      class="stack-3"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <div class="two">
        <TextField label="Path; may end in *" value={path} pattern="/.*" offers={PATHS} onInput={setPath} />
        <Select label="Effect" value={kind} options={KINDS} onChange={setKind} />
        <Select label="Method" value={method} options={METHODS} onChange={setMethod} />
        <NumberField label="Times" value={times} min={1} max={1_000_000} onInput={setTimes} />
        {kind === 'status' && (
          <>
            <NumberField label="Status" value={status} min={200} max={599} onInput={setStatus} />
            <Field label="Body, JSON or text; may be empty">
              {(id) => (
                <textarea
                  class="input"
                  id={id}
                  rows={1}
                  value={text}
                  onInput={({ currentTarget }) => setText(currentTarget.value)}
                />
              )}
            </Field>
          </>
        )}
        {kind === 'delay' && (
          <NumberField label="Milliseconds" value={delayMs} min={0} max={3_600_000} onInput={setDelayMs} />
        )}
      </div>
      <p>
        <button type="submit" class="button">
          <Icon name="plus" />
          Add the fault
        </button>
      </p>
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
    <div class="stack-5">
      <p>
        All links, payments, agreements, payouts, webhooks, calls and faults are removed, and the clock shows the
        current time again. What the subgraph has stored stays there: a link that it still shows can no longer be paid.
      </p>
      <p>
        <button class="button" type="button" onClick={() => setAsked(true)}>
          <Icon name="reset" />
          Reset the sandbox …
        </button>
      </p>
      {isAsked && (
        <Dialog title="Remove all data of the sandbox?" onClose={() => setAsked(false)}>
          {(close) => (
            <p class="row">
              <button
                type="button"
                class="button danger"
                onClick={() => void act(() => change('/reset', {}), 'The sandbox is empty.').then(close)}
              >
                Remove all data
              </button>
              <button class="button" type="button" onClick={close}>
                Cancel
              </button>
            </p>
          )}
        </Dialog>
      )}
    </div>
  )
}
