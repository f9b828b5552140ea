import { clearFaults, type FaultAnswer } from '../endpoints.ts'
import { usePage } from '../page-context.ts'
import { FaultForm } from '../parts/fault-form.tsx'
import { Table } from '../parts/field-table.tsx'

/** The faults for the next calls to the interface. */
export function Faults() {
  const { snapshot, act } = usePage()
  return (
    <>
      <FaultForm />
      <Table
        caption="Faults that are still to happen, the next one first"
        head={['Path', 'Method', 'What happens', 'Times left']}
        rows={snapshot.faults}
        keyOf={(_fault, index) => String(index)}
        empty={<p>There are no faults: every call gets its proper answer.</p>}
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
        onClick={() => void act(clearFaults, 'There are no faults any more.')}
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
