import type { PaymentLinkView } from 'payments-subgraph-client'
import { useEffect } from 'preact/hooks'
import { forgetBasket } from '../basket/basket.ts'
import { Drawer } from '../drawer/drawer.tsx'
import { useSpeech } from '../language.ts'
import type { Followed } from '../order-address.ts'
import { Steps } from '../steps.tsx'
import { useCheckout } from './failed-step.tsx'
import { NextStep } from './next-step.tsx'
import { Instructions, OrderFacts, Receipt } from './order-facts.tsx'
import { PAID, stageOf, stepOf } from './stage.ts'
import { useNewLinkIfGone } from './use-new-link-if-gone.ts'
import './order.css'
import { usePaymentLink } from './use-payment-link.ts'

type OrderPageProps = {
  readonly followed: Followed
  /** Whether faults can be triggered. */
  readonly emulator: boolean
  readonly go: (address: string) => void
}

/** The live page of an order. */
export function OrderPage({ followed, emulator, go }: OrderPageProps) {
  const { texts } = useSpeech()
  const view = usePaymentLink(followed)
  const checkout = useCheckout()
  const { link, payment, connection, serverOffsetMs, error } = view
  const stage = stageOf(view)
  useEffect(() => {
    if (stage === 'paid' && link !== null) forgetBasket(link.reference)
  }, [stage, link])

  useNewLinkIfGone(stage === 'ready' ? link : null, go)

  if (error !== null && link === null) return <UnknownOrder hint={texts.refusedOrder} go={go} />
  return (
    <>
      <Steps current={stepOf(stage)} />
      <div class="heading">
        <h1>{texts.order}</h1>
        <ConnectionBadge connection={connection} />
      </div>
      {/* A polite live region: screen readers announce each change once, without interrupting. */}
      <p role="status" class={`headline ${stage}`}>
        {texts.headlines[stage]}
      </p>
      {payment?.provisional === true && <p>{texts.checking}</p>}
      {link !== null && (
        <>
          <NextStep
            stage={stage}
            link={link}
            payment={payment}
            serverOffsetMs={serverOffsetMs}
            checkout={checkout}
            go={go}
          />
          {/* A payment page that is open shows its own. */}
          {stage === 'started' && checkout.open === null && payment?.instructions != null && (
            <Instructions instructions={payment.instructions} amount={link.requestedAmount} />
          )}
          {payment !== null && PAID.has(stage) ? (
            <Receipt link={link} payment={payment} />
          ) : (
            <OrderFacts link={link} payment={payment} stage={stage} serverOffsetMs={serverOffsetMs} />
          )}
        </>
      )}
      <p class="quiet">{texts.keepThisPage}</p>
      <Drawer linkId={followed.linkId} view={view} emulator={emulator} />
    </>
  )
}

/** A page for an order that cannot be shown, with the reason. */
export function UnknownOrder({ hint, go }: { readonly hint: string; readonly go: (address: string) => void }) {
  const { texts } = useSpeech()
  return (
    <>
      <h1>{texts.unknownOrder}</h1>
      <p>{hint}</p>
      <button type="button" class="primary" onClick={() => go('/shop')}>
        {texts.toShop}
      </button>
    </>
  )
}

/** Shows how this page receives updates. Screen readers do not announce it; they announce changes of the payment. */
function ConnectionBadge({ connection }: { readonly connection: PaymentLinkView['connection'] }) {
  const { texts } = useSpeech()
  return (
    <p class={`badge ${connection}`}>
      <span class="visually-hidden">{texts.connection}: </span>
      {texts.connections[connection]}
    </p>
  )
}
