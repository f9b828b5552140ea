import { drawQrCode } from 'payments-subgraph-lib/draw-qr-code'
import { isZeroDecimal, type Method } from '../methods/methods.ts'
import {
  awaits3ds,
  awaitsPrompt,
  codeToScan,
  isPayable,
  methodOf,
  offeredMethods,
  statusOf,
  type Link,
  pageState,
  type PaymentStatus,
} from '../state/link.ts'
import { decimalText } from '../values/decimal.ts'
import { html, type Html } from './html.ts'

const REFRESH_S = 2

/** Returns the hosted page of a link in its current state, in a frame from `readFrame`. */
export function checkoutPage(frame: string, link: Link, now: Date): string {
  const status = statusOf(link)
  const payable = isPayable(link, now)
  const moving = pageState(status) === undefined || status === 'waiting'
  return layout(frame, {
    title: `Pay ${amountText(link)}`,
    data: {
      uuid: link.uuid,
      status,
      'page-state': pageState(status) ?? '',
      success: link.request.redirect.success ?? '',
      failure: link.request.redirect.failure ?? '',
      watch: moving ? 'yes' : '',
      returns: status === 'received' ? 'yes' : '',
    },
    refreshSeconds: moving && link.payment !== undefined && !payable ? REFRESH_S : undefined,
    body: html`${priceOf(link)}
      <p class="quiet">${link.request.description}</p>
      ${(payable || pageState(status) === undefined) && timeLeft(link, now)}
      <div class="card sheet center">
        ${emblemOf(link, status)}
        <div role="status" class="${status === 'pending' && payable ? 'hidden-text' : 'stack'}">
          <h2>${statusText(link, status)}</h2>
          ${status === 'failed' && html`<p class="quiet">${link.payment?.payCode?.['error_message'] ?? ''} Nothing was charged.</p>`}
          ${awaitsPrompt(link) && html`<p class="quiet">Approve it, then choose “I have paid”.</p>`}
        </div>
        ${codeSection(link)} ${payable ? payForm(link) : progressForms(link)}
        ${pageState(status) !== undefined && doneForm(link)}
      </div>
      ${stage(link, status, payable)}`,
  })
}

/** Returns the page that stands for the issuer's 3DS step. */
export function threeDsPage(frame: string, link: Link): string {
  return layout(frame, {
    title: 'Confirm it is you',
    body: html`${priceOf(link)}
      <form class="card sheet center" method="post" action="/checkout/${link.uuid}/3ds">
        <span class="emblem now">${icon('lock')}</span>
        <h2>Confirm it is you</h2>
        <p class="quiet">Your bank asks you to approve the payment of ${amountText(link)}.</p>
        <button class="button pay-button" name="result" value="complete">Approve the payment</button>
        <button class="button big wide" name="result" value="fail">Refuse the payment</button>
      </form>`,
  })
}

/** Returns the page for a URL that belongs to no link. */
export function unknownLinkPage(frame: string): string {
  return layout(frame, {
    title: 'Not found',
    body: html`<div class="card sheet center">
      <span class="emblem over">${icon('close')}</span>
      <h1>Not found</h1>
      <p class="quiet">There is no such payment link.</p>
    </div>`,
  })
}

function priceOf(link: Link): Html {
  const [value = '', currency = ''] = amountText(link).split(' ')
  return html`<h1 class="price"><span class="hidden-text">Pay </span>${value} <small>${currency}</small></h1>`
}

/** The script keeps the time running and shows the end in the payer's time zone. A timer is not read out. */
function timeLeft({ expiresAt }: Link, now: Date): Html {
  const seconds = Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / 1000))
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  const until = expiresAt.toISOString()
  return html`<p class="time-left">
    ${icon('clock')}<span>Open until <time datetime="${until}">${until.slice(11, 16)} UTC</time>, for</span>
    <b class="figure" role="timer" data-until="${until}" data-now="${now.toISOString()}">${left}</b>
  </p>`
}

function codeSection(link: Link): Html | undefined {
  const code = codeToScan(link)
  if (code === undefined) return undefined
  return html`<div class="qr">
      <div class="paper">
        ${qrCode(code, `QR code for a payment of ${amountText(link)}. Its content can be copied below.`)}
      </div>
    </div>
    <button class="button big wide" type="button" data-copy="${code}" hidden>${icon('copy')}Copy the code</button>`
}

function payForm(link: Link): Html {
  const chosen = link.payment?.method.code ?? offeredMethods(link)[0]?.code
  const pay = link.payment?.status === 'failed' ? 'Pay again' : `Pay ${amountText(link)}`
  return html`<form class="stack wide" method="post" action="/checkout/${link.uuid}/pay" id="pay">
    <fieldset class="methods">
      <legend>Payment method</legend>
      ${offeredMethods(link).map((method) => methodChoice(method, method.code === chosen))}
    </fieldset>
    <button class="button pay-button">${icon('lock')}${pay}</button>
  </form>`
}

function methodChoice(method: Method, checked: boolean): Html {
  return html`<label class="method">
    <input type="radio" name="method_code" value="${method.code}" required${checked && html` checked`} />
    <svg class="pic" aria-hidden="true"><use href="#k-${pictureOf(method)}" /></svg>
    <span class="words"><b>${method.name}</b><small>${HINTS[method.kind]}</small></span>
  </label>`
}

const HINTS: Readonly<Record<Method['kind'], string>> = {
  card: 'Visa, Mastercard',
  alias: 'From your banking app',
  transfer: 'From your bank or wallet',
  mobile_money: 'Approve on your phone',
}

/** Returns the name of a method's picture in the frame. */
function pictureOf({ kind, code }: Method): string {
  if (kind !== 'transfer') return kind
  return code.includes('qr') ? 'qr' : code.includes('ewallet') ? 'wallet' : 'transfer'
}

function progressForms(link: Link): Html | false {
  if (awaits3ds(link))
    return html`<a class="button pay-button" href="/checkout/${link.uuid}/3ds">Continue to your bank</a>`
  if (!awaitsPrompt(link) && codeToScan(link) === undefined) return false
  return html`<form class="wide" method="post" action="/checkout/${link.uuid}/confirm">
    <button class="button pay-button">I have paid</button>
  </form>`
}

/** The script shows the paragraph where the page returns by itself. */
function doneForm(link: Link): Html {
  return html`<p class="quiet" id="returning" hidden>You are taken back in a few seconds.</p>
    <form class="wide" method="post" action="/checkout/${link.uuid}/done" id="done">
      <button class="button big wide">Done</button>
    </form>`
}

/** The tester's buttons, apart from what a payer sees. */
function stage(link: Link, status: PaymentStatus, payable: boolean): Html | false {
  const isPending = status === 'pending' && link.payment !== undefined
  if (!payable && !isPending) return false
  const path = `/checkout/${link.uuid}`
  const button = (action: string, glyph: string, text: string) =>
    html`<button class="button" form="stage" formaction="${path}/${action}">${icon(glyph)}${text}</button>`
  return html`<aside class="stage" aria-labelledby="stage-title">
    <h2 id="stage-title">${icon('bug')}Sandbox: decide how it ends</h2>
    <p class="small">No payment page has this box. It stands for the bank and the customer.</p>
    <form class="row wrap" method="post" id="stage">
      ${
        payable
          ? html`<button class="button" form="pay" formaction="${path}/decline" formnovalidate>
              ${icon('close')}Decline
            </button>`
          : button('decline', 'close', 'Decline')
      }
      ${awaitsPrompt(link) && button('dismiss', 'phone', 'Dismiss the prompt')}
      ${(link.payment === undefined || isPending) && button('expire', 'clock', 'Let it expire')}
    </form>
  </aside>`
}

function statusText(link: Link, status: PaymentStatus): string {
  if (link.payment === undefined) return status === 'expired' ? STATUS_TEXT.expired : 'Choose how to pay.'
  if (codeToScan(link) !== undefined) return 'Scan this code with your banking app or wallet.'
  return status === 'pending' && methodOf(link)?.kind === 'mobile_money'
    ? 'Waiting for your phone.'
    : STATUS_TEXT[status]
}

const STATUS_TEXT: Readonly<Record<PaymentStatus, string>> = {
  pending: 'The payment is being processed.',
  authorised: 'The payment is authorised.',
  waiting: 'The payment is approved. The money is on its way.',
  received: 'The payment was received. Thank you.',
  expired: 'This link has expired.',
  failed: 'The payment failed.',
  return_pending: 'A refund is being processed.',
  return_expired: 'The payment was received. A refund request has expired.',
  partially_refunded: 'The payment was refunded in part.',
  return_received: 'The payment was refunded.',
  return_rejected: 'The payment was received. A refund was denied.',
  in_dispute: 'The payment is in dispute.',
  dispute_lost: 'The disputed payment was returned.',
}

function emblemOf(link: Link, status: PaymentStatus): Html | false {
  if (status === 'pending') return awaitsPrompt(link) && html`<span class="emblem now">${icon('phone')}</span>`
  const [tone, glyph] = EMBLEMS[status] ?? ['back', 'undo']
  return html`<span class="emblem ${tone}">${icon(glyph)}</span>`
}

/** Tone and glyph of a status; those of a refund for the others. */
const EMBLEMS: Readonly<Partial<Record<PaymentStatus, readonly [tone: string, glyph: string]>>> = {
  authorised: ['now', 'clock'],
  waiting: ['now', 'clock'],
  received: ['here', 'check'],
  expired: ['over', 'clock'],
  failed: ['fault', 'close'],
  in_dispute: ['look', 'clock'],
}

function amountText({ request: { amount, currency } }: Link): string {
  const [whole = '', ...rest] = decimalText(amount, isZeroDecimal(currency) ? 0 : 2).split('.')
  return `${[BigInt(whole).toLocaleString('en'), ...rest].join('.')} ${currency}`
}

/** Returns a QR code as an image, dark on light in every theme, as scanners expect. `label` is its text alternative. */
function qrCode(content: string, label: string): Html {
  const { path, size } = drawQrCode(content)
  return html`<svg role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#000" />
  </svg>`
}

function icon(name: string): Html {
  return html`<svg class="icon" aria-hidden="true"><use href="#i-${name}" /></svg>`
}

type Layout = {
  title: string
  body: Html
  /** `data-` attributes of the main landmark, which the page's script reads. */
  data?: Readonly<Record<string, string>>
  /** Seconds after which a browser without scripts reloads the page. */
  refreshSeconds?: number | undefined
}

/** Fills the frame of the hosted checkout. */
function layout(frame: string, { title, body, data = {}, refreshSeconds }: Layout): string {
  const attributes = Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)
  const refresh = html`${
      refreshSeconds !== undefined &&
      html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`
    }
    <script src="/checkout/page.js" defer></script>`
  const parts: Readonly<Record<string, Html>> = {
    title: html`${title}`,
    head: refresh,
    main: html`<main id="content" ${attributes}>${body}</main>`,
  }
  return frame.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name]?.html ?? '')
}
