import { formatAmount } from 'payments-subgraph-client'
import { Icon } from 'payments-subgraph-pages/design/icons'
import { keptOrder } from '../basket/basket.ts'
import type { CheckoutWindow } from '../checkout-window.ts'
import { fill, type Language, useSpeech } from '../language.ts'
import type { Texts } from '../texts/en.ts'
import { Ring, TimeLeft } from './countdown.tsx'
import { FailedStep, failureText, NewLinkButton } from './failed-step.tsx'
import { Account, Scan } from './instructions.tsx'
import type { Link, Payment, Stage } from './stage.ts'

type StatusCardProps = {
  readonly stage: Stage
  readonly link: Link | null
  readonly payment: Payment | null
  readonly serverOffsetMs: number
  readonly checkout: CheckoutWindow
  readonly go: (address: string) => void
}

/** What an order is waiting for, or how it has ended, and the customer's next step. */
export function StatusCard(props: StatusCardProps) {
  const { stage, link, payment, serverOffsetMs, checkout } = props
  const { language, texts } = useSpeech()
  const emblem = EMBLEMS[stage]
  // A payment page that is open shows its own code.
  const code = stage === 'started' && checkout.open === null ? (payment?.instructions?.qrContent ?? null) : null
  const hasRing = link !== null && (stage === 'ready' || stage === 'started') && code === null
  return (
    <section class={stage === 'loading' ? 'now-card loading' : 'now-card'}>
      {hasRing && <Ring until={link.expiresAt} serverOffsetMs={serverOffsetMs} />}
      {emblem !== undefined && (
        <span class={`emblem ${emblem[0]}`}>
          <Icon name={emblem[1]} />
        </span>
      )}
      {/* A polite live region: screen readers announce each change once, without interrupting. */}
      <div role="status">
        <h1 class="headline">{headlineOf(props, code, language, texts)}</h1>
        <p class="quiet">{explanationOf(props, code, language, texts)}</p>
        {payment?.provisional === true && <p class="quiet">{texts.checking}</p>}
      </div>
      {code !== null && link !== null && (
        <>
          <Scan link={link} content={code}>
            <TimeLeft hasBar label={texts.timeLeft} until={link.expiresAt} serverOffsetMs={serverOffsetMs} />
          </Scan>
        </>
      )}
      {stage === 'started' && checkout.open === null && payment?.instructions != null && (
        <Account instructions={payment.instructions} />
      )}
      {link !== null && <Actions {...props} link={link} />}
    </section>
  )
}

const EMBLEMS: Readonly<Partial<Record<Stage, readonly [tone: string, glyph: string]>>> = {
  authorised: ['now', 'clock'],
  waiting: ['now', 'clock'],
  underWay: ['now', 'clock'],
  paid: ['here', 'check'],
  failed: ['fault', 'close'],
  expired: ['over', 'clock'],
  refunding: ['back', 'undo'],
  partlyRefunded: ['back', 'undo'],
  refunded: ['back', 'undo'],
  disputed: ['look', 'warn'],
}

function headlineOf(
  { stage, link, payment, checkout }: StatusCardProps,
  code: string | null,
  language: Language,
  texts: Texts,
): string {
  if (stage !== 'started' || checkout.open !== null) return texts.headlines[stage]
  if (code !== null && link !== null)
    return fill(texts.scanToPay, { amount: formatAmount(link.requestedAmount, language) })
  if (payment?.nextAction?.kind === 'COMPLETE_3DS') return texts.approveAtBank
  return payment?.method?.kind === 'MOBILE_MONEY' ? texts.approveOnPhone : texts.headlines.started
}

function explanationOf(
  { stage, payment, checkout }: StatusCardProps,
  code: string | null,
  language: Language,
  texts: Texts,
): string {
  if (checkout.open !== null && (stage === 'ready' || stage === 'started' || stage === 'failed')) return texts.inWindow
  if (stage === 'paid') return texts.shipped
  if (stage === 'expired') return `${texts.nothingCharged} ${texts.newLinkHint}`
  if (stage === 'failed' && payment !== null) return failureText(payment, language, texts)
  return code === null ? texts.updates : `${texts.scanHint} ${texts.updates}`
}

/** Shows the next action that the graph names for the customer. */
function Actions({ stage, link, payment, serverOffsetMs, checkout, go }: StatusCardProps & { readonly link: Link }) {
  const { language, texts } = useSpeech()
  if (checkout.open !== null && (stage === 'ready' || stage === 'started' || stage === 'failed'))
    return (
      <div class="buttons">
        <button type="button" class="button pay-button" onClick={() => checkout.open?.focus()}>
          {texts.showWindow}
        </button>
      </div>
    )
  switch (stage) {
    case 'ready':
      return (
        <div class="buttons">
          <button type="button" class="button pay-button" onClick={() => checkout.pay(link.checkoutUrl)}>
            <Icon name="lock" />
            {fill(texts.pay, { amount: formatAmount(link.requestedAmount, language) })}
          </button>
          <OtherMethod link={link} go={go} />
        </div>
      )
    case 'started': {
      const { kind, url = null } = payment?.nextAction ?? {}
      const isElsewhere = payment?.method?.kind === 'MOBILE_MONEY' || payment?.instructions != null
      return (
        <div class="buttons">
          {url !== null && (
            <button
              type="button"
              class={isElsewhere ? 'button big' : 'button pay-button'}
              onClick={() => checkout.pay(url)}
            >
              <Icon name="external" />
              {kind === 'COMPLETE_3DS' ? texts.confirm3ds : texts.continuePaying}
            </button>
          )}
          <OtherMethod link={link} go={go} />
        </div>
      )
    }
    case 'failed':
      return payment === null ? null : (
        <FailedStep link={link} payment={payment} serverOffsetMs={serverOffsetMs} checkout={checkout} go={go} />
      )
    case 'expired':
      return (
        <div class="buttons">
          <NewLinkButton link={link} go={go} />
          <button type="button" class="button big" onClick={() => go('/shop')}>
            {texts.changeBasket}
          </button>
        </div>
      )
    default:
      return null
  }
}

/** Leads back to the choice of a method; nothing where this browser does not know the order. */
function OtherMethod({ link, go }: { readonly link: Link; readonly go: (address: string) => void }) {
  const { texts } = useSpeech()
  if (keptOrder(link.reference) === null) return null
  return (
    <button type="button" class="button big" onClick={() => go('/shop')}>
      {texts.otherMethod}
    </button>
  )
}
