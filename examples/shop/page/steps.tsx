import { useSpeech } from './language.ts'

export type Step = 'stepBasket' | 'stepPay' | 'stepConfirm' | 'stepDone'

const STEPS: readonly Step[] = ['stepBasket', 'stepPay', 'stepConfirm', 'stepDone']

/** The progress of an order. */
export function Steps({ current }: { readonly current: Step }) {
  const { texts } = useSpeech()
  return (
    <nav aria-label={texts.steps}>
      <ol class="steps">
        {STEPS.map((step, index) => (
          <li
            key={step}
            class={index < STEPS.indexOf(current) ? 'past' : undefined}
            aria-current={step === current ? 'step' : undefined}
          >
            {texts[step]}
          </li>
        ))}
      </ol>
    </nav>
  )
}
