import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { Field } from '../parts/fields.tsx'
import { Status, Table } from '../parts/small.tsx'
import { change } from '../state/endpoints.ts'
import { usePage } from '../state/page-context.ts'

const EXAMPLE = `name: A card is declined
steps:
  - create: link
    as: order
    set: { amount: 30 }
  - trigger: payment.failed
    on: order
    set: { failure_code: insufficient_funds }
  - advance: 60
  - expect: { of: order, status: failed, failure_code: insufficient_funds }
`

type Run = { readonly steps: readonly string[]; readonly error: string | null }

/** Runs a scenario, whose YAML is pasted or read from a file, and shows the result of each of its steps. */
export function Scenarios() {
  const { act } = usePage()
  const [text, setText] = useState(EXAMPLE)
  const [run, setRun] = useState<Run | 'running' | null>(null)
  const start = async () => {
    setRun('running')
    const isAnswered = await act(
      () => change<Run>('/scenarios', { text }),
      (answer) => {
        setRun(answer)
        return answer.error === null ? 'The scenario succeeded.' : 'The scenario failed.'
      },
    )
    if (!isAnswered) setRun(null)
  }
  return (
    <div class="stack-5">
      <form
        class="stack-3"
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <Field label="Scenario file">
          {(id) => (
            <input
              class="input"
              id={id}
              type="file"
              accept=".yaml,.yml"
              onChange={({ currentTarget: { files } }) => void files?.[0]?.text().then(setText)}
            />
          )}
        </Field>
        <Field label="Scenario, in YAML">
          {(id) => (
            <textarea
              class="input"
              id={id}
              rows={12}
              spellcheck={false}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        <p>
          <button type="submit" class="button primary" disabled={run === 'running'}>
            <Icon name="play" />
            {run === 'running' ? 'Running …' : 'Run the scenario'}
          </button>
        </p>
      </form>
      {run !== null && run !== 'running' && <Result run={run} />}
    </div>
  )
}

function Result({ run: { steps, error } }: { readonly run: Run }) {
  const rows = steps.map((step, index) => ({
    step,
    status: error !== null && index === steps.length - 1 ? 'failed' : 'completed',
  }))
  return (
    <>
      {error !== null && (
        <p class="banner fault">
          <Icon name="close" />
          <span>{error}</span>
        </p>
      )}
      {rows.length > 0 && (
        <Table
          caption="Steps"
          head={[
            ['Step', 'wide'],
            ['Result', 'end lead'],
          ]}
          rows={rows}
          keyOf={(_row, index) => String(index)}
          empty={null}
          cells={({ step, status }) => [<code>{step}</code>, <Status status={status} />]}
        />
      )}
    </>
  )
}
