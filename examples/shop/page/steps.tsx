import { Icon } from 'payments-subgraph-pages/design/icons'
import { useSpeech } from './language.ts'

export type Step = 'stepBasket' | 'stepPay' | 'stepConfirm' | 'stepDone'

const STEPS: readonly Step[] = ['stepBasket', 'stepPay', 'stepConfirm', 'stepDone']

/** The progress of an order; null when all of it is done. */
export function Steps({ current }: { readonly current: Step | null }) {
  const { texts } = useSpeech()
  const at = current === null ? STEPS.length : STEPS.indexOf(current)
  return (
    <ol class="steps" aria-label={texts.steps}>
      {STEPS.map((step, index) => (
        <li key={step} class={index < at ? 'done' : undefined} aria-current={step === current ? 'step' : undefined}>
          <span class="dot">{index < at ? <Icon name="check" /> : index + 1}</span>
          <span class="word">{texts[step]}</span>
        </li>
      ))}
    </ol>
  )
}
