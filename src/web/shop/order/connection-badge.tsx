import type { PaymentLinkView } from '../../../client/index.ts'
import { useSpeech } from '../language.ts'

/** Shows how this page receives updates. Screen readers do not announce it; they announce changes of the payment. */
export function ConnectionBadge({ connection }: { readonly connection: PaymentLinkView['connection'] }) {
  const { texts } = useSpeech()
  return (
    <p class={`badge ${connection}`}>
      <span class="visually-hidden">{texts.connection}: </span>
      {texts.connections[connection]}
    </p>
  )
}
