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

  const timer = document.querySelector('[role=timer]')
  if (timer) {
    const { until, now } = timer.dataset
    const ahead = Date.parse(now) - Date.now()
    const tick = () => {
      const seconds = Math.max(0, Math.ceil((Date.parse(until) - Date.now() - ahead) / 1000))
      timer.textContent = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0')
    }
    tick()
    setInterval(tick, 1000)
    const end = document.querySelector('.time-left time')
    end.textContent = new Date(Date.parse(until) - ahead).toLocaleTimeString([], { timeStyle: 'short' })
  }

  for (const button of document.querySelectorAll('[data-copy]')) {
    button.hidden = !window.isSecureContext
    button.addEventListener('click', () =>
      navigator.clipboard.writeText(button.dataset.copy).then(() => (button.lastChild.textContent = 'Copied')),
    )
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

/** The logo of cards. */
export const CARD_LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 32" role="img" aria-label="Card">
  <rect width="48" height="32" rx="4" fill="#1f4e79"/>
  <rect y="7" width="48" height="6" fill="#fff"/>
</svg>
`
