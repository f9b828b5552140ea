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
} from '../payments/link.ts'
import { decimalText } from '../values/decimal.ts'

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

type Layout = {
  title: string
  body: Html
  /** `data-` attributes of the main landmark, which the page's script reads. */
  data?: Readonly<Record<string, string>>
  /** Seconds after which a browser without scripts reloads the page. */
  refreshSeconds?: number | undefined
}

/** Returns a complete page of the hosted checkout. */
function layout({ title, body, data = {}, refreshSeconds }: Layout): string {
  const attributes = Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)
  const refresh =
    refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/checkout/page.css">
<link rel="icon" href="data:,">
<script src="/checkout/page.js" defer></script>
${refresh}
</head>
<body>
<main${attributes}>
${body}
</main>
</body>
</html>
`
  return page.html
}

/** Text that is already HTML and is not escaped again. */
type Html = { readonly html: string }

/** HTML template tag. Escapes values, except `Html` and lists of `Html`; undefined and false produce no output. */
function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return { html: parts.reduce((text, part, index) => `${text}${toHtml(values[index - 1])}${part}`) }
}

type HtmlValue = string | number | Html | readonly Html[] | undefined | false

function toHtml(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value))
  return 'html' in value ? value.html : value.map((part) => part.html).join('')
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Milliseconds for which a customer sees that the payment was received before the page goes back. */
const RETURN_MS = 4_000

/**
 * The checkout page's script, served as a separate file so that the page needs no inline script. It posts status changes to
 * the opener of a popup (docs/payments-api.md, section 6.4) and polls while the payment is in progress.
 */
export const PAGE_SCRIPT = `'use strict'
{
  const { uuid, status, pageState, success, failure, watch, returns } = document.querySelector('main').dataset

  const tell = (eventType) => {
    if (!window.opener || !pageState) return
    const redirectUrl = { success: success || null, failure: failure || null }
    const data = { event_type: eventType, page_state: pageState, redirect_url: redirectUrl }
    // The opener's origin is not known to this page, and the message holds nothing about the payer.
    window.opener.postMessage({ svc_payment_event: data }, '*')
  }

  if (uuid) {
    const key = 'checkout-' + uuid
    let before = null
    try {
      before = sessionStorage.getItem(key)
      sessionStorage.setItem(key, status)
    } catch {
      // With storage blocked, the opener is told of a status once more than needed.
    }
    if (before !== status) {
      tell('onChange')
      if (status === 'expired') tell('onDone')
    }
  }

  const done = document.getElementById('done')
  if (done) done.addEventListener('submit', (event) => {
    tell('onDone')
    if (!window.opener) return
    event.preventDefault()
    window.close()
  })

  // Once it is paid, the page goes back by itself, unless somebody is using it.
  if (done && returns && (window.opener || success)) {
    const returning = document.getElementById('returning')
    returning.hidden = false
    const leave = setTimeout(() => done.requestSubmit(), ${RETURN_MS})
    const stay = () => {
      clearTimeout(leave)
      returning.hidden = true
    }
    for (const use of ['keydown', 'pointerdown']) document.addEventListener(use, stay, { once: true })
  }

  const look = async () => {
    try {
      const answer = await fetch(location.pathname, { headers: { accept: 'application/json' } })
      const news = await answer.json()
      if (news.status !== status) return location.reload()
    } catch {
      // The server is away for a moment; the next look may find it again.
    }
    setTimeout(look, 500)
  }
  if (watch) setTimeout(look, 500)
}
`

/** The checkout page's style sheet. */
export const PAGE_STYLE = `:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; background: light-dark(#ffffff, #14171c); color: light-dark(#16191f, #eceef2); }
body { margin: 0; }
main { max-width: 32rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; }
a { color: light-dark(#0b57d0, #a8c7fa); }
fieldset { border: 1px solid; border-radius: 0.4rem; margin: 0 0 1rem; }
fieldset p { margin: 0.4rem 0; }
button { font: inherit; padding: 0.5rem 1rem; margin: 0 0.5rem 0.5rem 0; border: 1px solid; border-radius: 0.4rem; cursor: pointer; }
.qr { display: block; width: min(16rem, 100%); margin: 0 0 1rem; }
.code input { font: inherit; width: 100%; box-sizing: border-box; }
button:focus-visible, input:focus-visible, a:focus-visible { outline: 3px solid; outline-offset: 2px; }
[role='status'] { font-weight: 600; }
`

/** The logo of cards. */
export const CARD_LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 32" role="img" aria-label="Card">
  <rect width="48" height="32" rx="4" fill="#1f4e79"/>
  <rect y="7" width="48" height="6" fill="#fff"/>
</svg>
`
