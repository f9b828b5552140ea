import type { PaymentLinkView } from 'payments-subgraph-client'
import { Icon } from 'payments-subgraph-pages/design/icons'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { forgetBasket } from '../basket/basket.ts'
import type { CheckoutWindow } from '../checkout-window.ts'
import { Drawer } from '../drawer/drawer.tsx'
import { useSpeech } from '../language.ts'
import type { Followed } from '../order-address.ts'
import { Steps } from '../steps.tsx'
import { Receipt } from './receipt.tsx'
import { PAID, stageOf, stepOf } from './stage.ts'
import { StatusCard } from './status-card.tsx'
import { useNewLinkIfGone } from './use-new-link-if-gone.ts'
import { usePaymentLink } from './use-payment-link.ts'

type OrderPageProps = {
  readonly head: ComponentChildren
  readonly followed: Followed
  readonly checkout: CheckoutWindow
  /** Whether faults can be triggered. */
  readonly emulator: boolean
  readonly go: (address: string) => void
}

/** The live page of an order. */
export function OrderPage({ head, followed, checkout, emulator, go }: OrderPageProps) {
  const { texts } = useSpeech()
  const view = usePaymentLink(followed)
  const { link, payment, connection, serverOffsetMs, error } = view
  const stage = stageOf(view)
  useEffect(() => {
    if (stage === 'paid' && link !== null) forgetBasket(link.reference)
  }, [stage, link])

  useNewLinkIfGone(stage === 'ready' ? link : null, go)

  if (error !== null && link === null) return <UnknownOrder head={head} hint={texts.refusedOrder} go={go} />
  return (
    <>
      <div class="single">
        {head}
        <main id="content">
          <p class="line">
            <ConnectionBadge connection={connection} />
          </p>
          <Steps current={stepOf(stage)} />
          <StatusCard
            stage={stage}
            link={link}
            payment={payment}
            serverOffsetMs={serverOffsetMs}
            checkout={checkout}
            go={go}
          />
          {link !== null && (
            <>
              <Receipt link={link} payment={payment} stage={stage} />
              {PAID.has(stage) && (
                <div class="buttons">
                  <button class="button big" type="button" onClick={() => print()}>
                    <Icon name="print" />
                    {texts.print}
                  </button>
                  <button class="button big" type="button" onClick={() => go('/shop')}>
                    {texts.toShop}
                  </button>
                </div>
              )}
              <p class="small faint keep">{texts.keepThisPage}</p>
            </>
          )}
        </main>
        <footer class="small faint">{texts.sandboxNote}</footer>
      </div>
      <Drawer linkId={followed.linkId} view={view} emulator={emulator} />
    </>
  )
}

type UnknownOrderProps = {
  readonly head: ComponentChildren
  readonly hint: string
  readonly go: (address: string) => void
}

/** A page for an order that cannot be shown, with the reason. */
export function UnknownOrder({ head, hint, go }: UnknownOrderProps) {
  const { texts } = useSpeech()
  return (
    <div class="single">
      {head}
      <main id="content">
        <section class="now-card">
          <h1>{texts.unknownOrder}</h1>
          <p class="quiet">{hint}</p>
          <div class="buttons">
            <button type="button" class="button pay-button" onClick={() => go('/shop')}>
              {texts.toShop}
            </button>
          </div>
        </section>
      </main>
      <footer class="small faint">{texts.sandboxNote}</footer>
    </div>
  )
}

const TONES: Readonly<Record<PaymentLinkView['connection'], string>> = {
  live: 'here',
  connecting: 'over',
  reconnecting: 'look',
  polling: 'look',
  offline: 'fault',
  closed: 'over',
}

/** Shows how this page receives updates. Screen readers do not announce it; they announce changes of the payment. */
function ConnectionBadge({ connection }: { readonly connection: PaymentLinkView['connection'] }) {
  const { texts } = useSpeech()
  return (
    <span class={`live ${TONES[connection]}`} data-connection={connection}>
      <span class="hidden-text">{texts.connection}: </span>
      {texts.connections[connection]}
    </span>
  )
}
