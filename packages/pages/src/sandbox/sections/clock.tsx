import { useState } from 'preact/hooks'
import { NumberField, Select } from '../parts/fields.tsx'
import { Dialog, useClock } from '../parts/small.tsx'
import { change } from '../state/endpoints.ts'
import { usePage } from '../state/page-context.ts'

const UNITS = { minutes: 60, hours: 3600, days: 86_400, seconds: 1 } as const

const STEPS = [
  ['+1 min', 60],
  ['+15 min', 15 * 60],
  ['+1 hour', 3600],
  ['+1 day', 86_400],
  ['+10 days', 10 * 86_400],
] as const

/**
 * The sandbox's clock, which runs and can be advanced. Everything that falls due in between happens in order: steps of payments, expiry of links,
 * retries of webhooks.
 */
export function Clock({ now, readAt }: { readonly now: string; readonly readAt: number }) {
  const { act } = usePage()
  const at = useClock({ now, readAt })
  const [isOther, setOther] = useState(false)
  const advance = (advanceSeconds: number) =>
    act(
      () => change<{ now: string }>('/clock', { advanceSeconds }),
      (answer) => `The clock is at ${answer.now.slice(0, 19).replace('T', ' ')} UTC.`,
    )
  return (
    <section class="clock" aria-labelledby="clock">
      <div>
        <h2 id="clock" class="small faint">
          The sandbox’s clock, UTC
        </h2>
        <p class="clock-time figure">
          <time dateTime={at}>{at.slice(11, 19)}</time> <small>{at.slice(0, 10)}</small>
        </p>
      </div>
      <div class="row wrap push" role="group" aria-label="Advance the clock">
        {STEPS.map(([text, seconds]) => (
          <button class="button" type="button" key={text} onClick={() => void advance(seconds)}>
            {text}
          </button>
        ))}
        <button class="button quiet" type="button" onClick={() => setOther(true)}>
          Other …
        </button>
      </div>
      {isOther && <OtherDialog onAdvance={advance} onClose={() => setOther(false)} />}
    </section>
  )
}

type OtherDialogProps = { readonly onAdvance: (seconds: number) => Promise<boolean>; readonly onClose: () => void }

function OtherDialog({ onAdvance, onClose }: OtherDialogProps) {
  const [amount, setAmount] = useState('30')
  const [unit, setUnit] = useState<string>('minutes')
  return (
    <Dialog title="Advance the clock" onClose={onClose}>
      {(close) => (
        <form
          class="stack-3"
          onSubmit={(event) => {
            event.preventDefault()
            void onAdvance(Number(amount) * (UNITS[unit as keyof typeof UNITS] ?? 1)).then((done) => done && close())
          }}
        >
          <div class="two">
            <NumberField label="Advance by" value={amount} min={1} max={100_000} onInput={setAmount} />
            <Select label="Unit" value={unit} options={Object.keys(UNITS)} onChange={setUnit} />
          </div>
          <p>
            <button type="submit" class="button primary">
              Advance
            </button>
          </p>
        </form>
      )}
    </Dialog>
  )
}
