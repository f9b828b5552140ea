import { openSession } from '../session.ts'

/** Fills in whether the server is ready, and who is signed in; copies commands and the token. */

const SIGNED_OUT = 'Nobody is signed in. Open the link that npm start printed: it signs in this browser, once.'
const REFUSED = 'This link has been used, or is too old. Restart the server for another one.'

const copy = document.querySelector<HTMLElement>('#copy-token')
const text = document.querySelector('#session-text')
const ready = document.querySelector('#ready')

for (const button of document.querySelectorAll<HTMLElement>('[data-copy]'))
  button.addEventListener('click', () => void copyOf(button))

/** Copies what a button stands for, and says so in its place. */
async function copyOf(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(button.dataset['copy'] ?? '')
  if (button.lastChild !== null) button.lastChild.textContent = 'Copied'
}

const { token, problem } = await openSession()
if (text !== null && copy !== null) {
  text.textContent =
    token === null
      ? problem === 'code'
        ? REFUSED
        : SIGNED_OUT
      : 'This browser is signed in: console and explorer have its token.'
  copy.hidden = token === null
  copy.dataset['copy'] = token ?? ''
}

const { ok } = await fetch('/health/ready').catch(() => ({ ok: false }))
if (ready !== null && !ok) {
  ready.textContent = 'Not ready'
  ready.className = 'live look push'
}
