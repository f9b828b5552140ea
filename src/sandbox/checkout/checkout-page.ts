import { drawQrCode } from '../../lib/draw-qr-code.ts'
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
} from '../payments/link.ts'
import { decimalText } from '../values/decimal.ts'
import { html, type Html, layout } from './html.ts'

const REFRESH_S = 2

/** Returns the hosted page of a link in its current state. */
export function checkoutPage(link: Link, now: Date): string {
  const status = statusOf(link)
  const payable = isPayable(link, now)
  const title = `Pay ${amountText(link)}`
  const moving = pageState(status) === undefined || status === 'waiting'
  return layout({
    title,
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
    body: html`<h1>${title}</h1>
      <p>${link.request.description}</p>
      <p role="status">${statusText(link, status)}</p>
      ${status === 'failed' && html`<p>${link.payment?.payCode?.['error_message'] ?? ''}</p>`} ${codeSection(link)}
      ${pageState(status) === undefined && html`<p>This page is open until ${utcText(link.expiresAt)}.</p>`}
      ${payable ? payForm(link) : progressForms(link, status)} ${pageState(status) !== undefined && doneForm(link)}`,
  })
}

/** Returns the page that stands for the issuer's 3DS step. */
export function threeDsPage(link: Link): string {
  return layout({
    title: 'Confirm it is you',
    body: html`<h1>Confirm it is you</h1>
      <p>Your bank asks you to approve the payment of ${amountText(link)}.</p>
      <form method="post" action="/checkout/${link.uuid}/3ds">
        <button name="result" value="complete">Approve the payment</button>
        <button name="result" value="fail">Refuse the payment</button>
      </form>`,
  })
}

/** Returns the page for a URL that belongs to no link. */
export function unknownLinkPage(): string {
  return layout({
    title: 'Not found',
    body: html`<h1>Not found</h1>
      <p>There is no such payment link.</p>`,
  })
}

function codeSection(link: Link): Html | undefined {
  const code = codeToScan(link)
  if (code === undefined) return undefined
  return html`${qrCode(code, `QR code for a payment of ${amountText(link)}. Its content stands below as text.`)}
    <p class="code">
      <label>Content of the code <input readonly value="${code}" /></label>
    </p>`
}

function payForm(link: Link): Html {
  const chosen = link.payment?.method.code ?? offeredMethods(link)[0]?.code
  return html`<form method="post" action="/checkout/${link.uuid}/pay">
    <fieldset>
      <legend>Payment method</legend>
      ${offeredMethods(link).map((method) => methodChoice(method, method.code === chosen))}
    </fieldset>
    <button>${link.payment?.status === 'failed' ? 'Pay again' : 'Pay'}</button>
    <button formaction="/checkout/${link.uuid}/decline" formnovalidate>Decline</button>
    ${link.payment === undefined && html`<button formaction="/checkout/${link.uuid}/expire" formnovalidate>Let it expire</button>`}
  </form>`
}

function methodChoice(method: Method, checked: boolean): Html {
  return html`<p>
    <input
      type="radio"
      name="method_code"
      id="${method.code}"
      value="${method.code}"
      required${checked && html` checked`}
    />
    <label for="${method.code}">${method.name}</label>
  </p> `
}

function progressForms(link: Link, status: PaymentStatus): Html {
  if (status !== 'pending' || link.payment === undefined) return html``
  return html`${awaitsPrompt(link) && promptForm(link)} ${codeToScan(link) !== undefined && scanForm(link)}
    ${awaits3ds(link) && html`<p><a href="/checkout/${link.uuid}/3ds">Continue to your bank</a></p>`}
    <form method="post" action="/checkout/${link.uuid}/decline">
      <button>Decline</button>
      <button formaction="/checkout/${link.uuid}/expire">Let it expire</button>
    </form>`
}

function promptForm(link: Link): Html {
  return html`<p>A prompt was sent to your handset. Approve it, then say so here.</p>
    <form method="post" action="/checkout/${link.uuid}/confirm">
      <button>I have paid</button>
      <button formaction="/checkout/${link.uuid}/dismiss">Dismiss the prompt</button>
    </form>`
}

function scanForm(link: Link): Html {
  return html`<form method="post" action="/checkout/${link.uuid}/confirm"><button>I have paid</button></form>`
}

/** The script shows the paragraph where the page returns by itself. */
function doneForm(link: Link): Html {
  return html`<p id="returning" hidden>You are taken back in a few seconds.</p>
    <form method="post" action="/checkout/${link.uuid}/done" id="done"><button>Done</button></form>`
}

function statusText(link: Link, status: PaymentStatus): string {
  if (link.payment === undefined) return status === 'expired' ? STATUS_TEXT.expired : 'Choose how to pay.'
  if (codeToScan(link) !== undefined) return 'Scan this code with your banking app or wallet.'
  return status === 'pending' && methodOf(link)?.kind === 'mobile_money'
    ? 'Waiting for your handset.'
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

function amountText(link: Link): string {
  const { amount, currency } = link.request
  return `${decimalText(amount, isZeroDecimal(currency) ? 0 : 2)} ${currency}`
}

function utcText(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Returns a QR code as an image, dark on light in every theme, as scanners expect. `label` is its text alternative. */
function qrCode(content: string, label: string): Html {
  const { path, size } = drawQrCode(content)
  return html`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#000" />
  </svg>`
}
