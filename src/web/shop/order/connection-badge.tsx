import type { PaymentLinkView } from '../../../client/index.ts'
import { useSpeech } from '../language.ts'

/** How this page hears of changes at the moment. Not read out: what changes of the payment is. */
export function ConnectionBadge({ connection }: { readonly connection: PaymentLinkView['connection'] }) {
  const { texts } = useSpeech()
  return (
    <p class={`badge ${connection}`}>
      <span class="visually-hidden">{texts.connection}: </span>
      {texts.connections[connection]}
    </p>
  )
}
