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
    const before = sessionStorage.getItem(key)
    sessionStorage.setItem(key, status)
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
