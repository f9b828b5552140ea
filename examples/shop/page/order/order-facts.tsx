import { formatAmount, remaining } from 'payments-subgraph-client'
import { useEffect, useState, useMemo } from 'preact/hooks'
import createCode from 'qrcode-generator'
import type { Money } from '../format-money.ts'
import { useSpeech } from '../language.ts'
import { type Link, type Payment, type Stage, TO_BE_PAID } from './stage.ts'

type OrderFactsProps = {
  readonly link: Link
  readonly payment: Payment | null
  readonly stage: Stage
  readonly serverOffsetMs: number
}

/** The items, the amount and the payment method of an order that is not paid. */
export function OrderFacts({ link, payment, stage, serverOffsetMs }: OrderFactsProps) {
  const { language, texts } = useSpeech()
  return (
    <dl class="facts">
      {TO_BE_PAID.has(stage) && (
        <div>
          <dt>{texts.timeLeft}</dt>
          <dd>
            <Countdown until={link.expiresAt} serverOffsetMs={serverOffsetMs} />
          </dd>
        </div>
      )}
      <div>
        <dt>{texts.amount}</dt>
        <dd>{formatAmount(link.requestedAmount, language)}</dd>
      </div>
      <div>
        <dt>{texts.basket}</dt>
        <dd>{link.description}</dd>
      </div>
      <MethodRow payment={payment} label={texts.methodChosen} />
      <RefundRows payment={payment} />
      <OrderNumberRow reference={link.reference} />
    </dl>
  )
}

type MethodRowProps = { readonly payment: Payment | null; readonly label: string }

/** The payment method, with the card's brand and last digits. */
function MethodRow({ payment, label }: MethodRowProps) {
  const { method, card } = payment ?? { method: null, card: null }
  if (method == null) return null
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <bdi>{[method.name, card?.brand, card?.last4].filter(Boolean).join(' ')}</bdi>
      </dd>
    </div>
  )
}

/** What was refunded, and the refunds; nothing before a refund. */
function RefundRows({ payment }: { readonly payment: Payment | null }) {
  const { language, texts } = useSpeech()
  if (payment === null) return null
  const { refunded, refunds } = payment
  return (
    <>
      {refunded !== null && !/^[0.]*$/.test(refunded.value) && (
        <div>
          <dt>{texts.refundedAmount}</dt>
          <dd>{formatAmount(refunded, language)}</dd>
        </div>
      )}
      {refunds.length > 0 && (
        <div>
          <dt>{texts.refunds}</dt>
          <dd>
            <ul class="refunds">
              {refunds.map(({ id, amount, state }) => (
                <li key={id}>
                  {amount === null ? texts.amountOpen : formatAmount(amount, language)}: {texts.refundStates[state]}
                </li>
              ))}
            </ul>
          </dd>
        </div>
      )}
    </>
  )
}

/** Characters of an order's id that people are shown. The console finds a payment by the beginning of its reference, in any case. */
const NUMBER_LENGTH = 8

/** The order number: the beginning of the order's id, which can be read out. */
function OrderNumberRow({ reference }: { readonly reference: string }) {
  const { texts } = useSpeech()
  return (
    <div>
      <dt>{texts.reference}</dt>
      <dd>
        <code>{reference.slice(0, NUMBER_LENGTH).toUpperCase()}</code>
      </dd>
    </div>
  )
}

type CountdownProps = {
  readonly until: string
  /** How far the server's clock is ahead of this device's, in milliseconds. */
  readonly serverOffsetMs: number
}

/**
 * Minutes and seconds until an instant of the server's clock. Not a live region, because screen readers would announce every
 * second.
 */
function Countdown({ until, serverOffsetMs }: CountdownProps) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(ticking)
  }, [])
  const seconds = Math.ceil(remaining(until, serverOffsetMs, now) / 1_000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return (
    <span role="timer">
      <bdi>
        {minutes}:{String(rest).padStart(2, '0')}
      </bdi>
    </span>
  )
}

type ReceiptProps = { readonly link: Link; readonly payment: Payment }

/** What was paid for, how and when, to keep or to print. */
export function Receipt({ link, payment }: ReceiptProps) {
  const { language, texts } = useSpeech()
  return (
    <section class="card receipt" aria-labelledby="receipt-title">
      <h2 id="receipt-title">{texts.receipt}</h2>
      <p>{texts.shopName}</p>
      <dl class="facts">
        <div>
          <dt>{texts.paidAmount}</dt>
          <dd>{formatAmount(payment.paid ?? payment.amount, language)}</dd>
        </div>
        {/* Afterwards the last change is that of a refund. */}
        {payment.status === 'RECEIVED' && (
          <div>
            <dt>{texts.paidAt}</dt>
            <dd>
              <time dateTime={payment.updatedAt}>{instantText(payment.updatedAt, language)}</time>
            </dd>
          </div>
        )}
        <div>
          <dt>{texts.basket}</dt>
          <dd>{link.description}</dd>
        </div>
        <MethodRow payment={payment} label={texts.methodUsed} />
        <RefundRows payment={payment} />
        <OrderNumberRow reference={link.reference} />
      </dl>
      <button type="button" onClick={() => print()}>
        {texts.print}
      </button>
    </section>
  )
}

function instantText(instant: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(instant))
}

type InstructionsProps = { readonly instructions: NonNullable<Payment['instructions']>; readonly amount: Money }

/** The payment instructions: a code to scan, or an account to transfer to. */
export function Instructions({ instructions, amount }: InstructionsProps) {
  const { language, texts } = useSpeech()
  const { qrContent, alias, url, message, account } = instructions
  const rows = Object.entries(texts.account).flatMap(([name, label]) => {
    const text = { ...account, alias, url, message }[name as keyof typeof texts.account]
    return text === null || text === undefined ? [] : [{ label, text }]
  })
  return (
    <>
      {qrContent !== null && (
        <section class="card" aria-labelledby="qr-title">
          <h2 id="qr-title">{texts.qr}</h2>
          <p>{texts.qrHint}</p>
          <QrCode content={qrContent} label={texts.qrImage(formatAmount(amount, language))} />
          <Copyable label={texts.qrText} text={qrContent} />
        </section>
      )}
      {rows.length > 0 && (
        <section class="card" aria-labelledby="instructions-title">
          <h2 id="instructions-title">{texts.instructions}</h2>
          <dl>
            {rows.map(({ label, text }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <bdi>{text}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  )
}

function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const { texts } = useSpeech()
  const [copied, setCopied] = useState(false)
  return (
    <p class="copyable">
      <label>
        {label} <input readOnly dir="ltr" value={text} onFocus={({ currentTarget }) => currentTarget.select()} />
      </label>{' '}
      {/* Without a secure context browsers have no clipboard API; the text is selected when it gets the focus. */}
      {isSecureContext && (
        <button type="button" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
          {copied ? texts.copied : texts.copy}
        </button>
      )}
    </p>
  )
}

type QrCodeProps = {
  readonly content: string
  /** The text alternative of the code. */
  readonly label: string
}

/** Screen pixels of a module; the style gives the size. */
const MODULE_PX = 4

/** A QR code. Dark on light in every theme, as scanners expect. */
function QrCode({ content, label }: QrCodeProps) {
  const source = useMemo(() => {
    const code = createCode(0, 'M')
    code.addData(content)
    code.make()
    return code.createDataURL(MODULE_PX)
  }, [content])
  return <img class="qr" alt={label} src={source} />
}
