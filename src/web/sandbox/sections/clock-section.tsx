import { useState } from 'preact/hooks'
import { change } from '../endpoints.ts'
import { usePage } from '../page-context.ts'
import { NumberField, Select } from '../parts/fields.tsx'

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
        The clock runs by itself, and can be moved forward. Everything that falls due on the way happens in its order:
        steps of payments, ends of links, further tries of webhooks.
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
