/** The element `<payment-status>`: a payment as the payer sees it, live. Importing this module defines it. */
import { openCheckout } from './open-checkout.ts'
import { paymentText, type PaymentText } from './payment-text.ts'
import { paymentLinkStore, type PaymentLinkStore, type PaymentLinkView } from './watch-store.ts'

const STYLE = `
:host { display: block; color: var(--payment-text, CanvasText); font: inherit }
:host([hidden]), [part=card][hidden], p:empty, button:empty { display: none }
[part=card] { display: grid; gap: .75em; justify-items: start; padding: 1.25em; text-align: start; background: var(--payment-surface, Canvas);
  border: 1px solid var(--payment-border, color-mix(in srgb, currentColor 20%, transparent)); border-radius: var(--payment-radius, .75em) }
[part=status] { display: flex; gap: .75em; align-items: center }
[part=mark] { flex: none; inline-size: 1.75em; block-size: 1.75em; fill: none; stroke: currentColor; stroke-width: 1.5;
  stroke-linecap: round; stroke-linejoin: round; color: var(--payment-accent, light-dark(#0b57d0, #8ab4f8)) }
[data-tone=success] [part=mark] { color: var(--payment-success, light-dark(#0a7d43, #6dd58c)) }
[data-tone=failure] [part=mark] { color: var(--payment-danger, light-dark(#c5221f, #f28b82)) }
p { margin: 0; unicode-bidi: plaintext; text-align: match-parent }
[part=headline] { font-weight: 600 }
[part=amount] { font-size: 1.5em; font-weight: 600; font-variant-numeric: tabular-nums }
[part=action] { font: inherit; font-weight: 600; min-block-size: max(44px, 2.75em); padding-inline: 1.5em; cursor: pointer; border: 0;
  border-radius: var(--payment-radius, .75em); color: var(--payment-on-accent, #fff); background: var(--payment-accent, #0b57d0) }
[part=action]:focus-visible { outline: 3px solid var(--payment-text, CanvasText); outline-offset: 2px }
@media (max-width: 480px) { [part=action] { justify-self: stretch } }
`
const BODY = `<style>${STYLE}</style><div part="card"><p part="amount"></p>
<div part="status" role="status"><svg part="mark" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/><path/></svg>
<div><p part="headline"></p><p part="hint"></p></div></div><p part="deadline"></p><button part="action" type="button"></button></div>`

const MARKS: Readonly<Record<PaymentText['tone'], string>> = {
  waiting: 'M8 4.5V8l2.5 1.5',
  success: 'M4.75 8.25l2.25 2.25L11.25 5.75',
  failure: 'M5.5 5.5l5 5M10.5 5.5l-5 5',
}

/** A class to extend where there is no document, as when a page is rendered on a server. */
const Base = typeof HTMLElement === 'undefined' ? (Object as unknown as typeof HTMLElement) : HTMLElement

/**
 * Follows the link in the attribute `link` with its `status-token`. `url` is the graph's URL; default `/graphql`. The language is that of the
 * nearest `lang`, otherwise the browser's. Fires `payment-change` with the view as `detail` for each change, and once `payment-error` with
 * the error when the link cannot be followed; unless a listener prevents its default, the error is also reported as uncaught.
 *
 * @example
 * <payment-status link="…" status-token="…" url="https://shop.example/graphql"></payment-status>
 */
export class PaymentStatusElement extends Base {
  static readonly observedAttributes = ['link', 'status-token', 'url', 'lang']
  #store: PaymentLinkStore | null = null
  #shown: PaymentText | null = null
  #isDue = false

  /** The current state; null without a link. */
  get view(): PaymentLinkView | null {
    return this.#store?.getSnapshot() ?? null
  }

  connectedCallback(): void {
    if (this.shadowRoot === null) {
      this.attachShadow({ mode: 'open' }).innerHTML = BODY
      this.#part('action').addEventListener('click', () => this.#act())
    }
    this.#startSoon()
  }

  attributeChangedCallback(): void {
    this.#startSoon()
  }

  disconnectedCallback(): void {
    this.#store?.close()
    this.#store = null
  }

  /** Follows the link anew, once for all attributes that change together. */
  #startSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      if (this.isConnected) this.#start()
    })
  }

  #start(): void {
    this.disconnectedCallback()
    const link = this.getAttribute('link')
    const card = this.#part('card')
    card.hidden = link === null || link === ''
    if (link === null || link === '') return
    const locale = this.#locale()
    const store = paymentLinkStore(link, {
      url: this.getAttribute('url') ?? '/graphql',
      statusToken: this.getAttribute('status-token') ?? '',
      locale,
    })
    this.#store = store
    const show = () => {
      if (this.#store === store) this.#show(store.getSnapshot(), locale)
    }
    show()
    store.subscribe(show)
  }

  #show(view: PaymentLinkView, locale: string): void {
    const text = paymentText(view, locale)
    this.#shown = text
    const card = this.#part('card')
    card.lang = text.language
    card.dataset['tone'] = text.tone
    this.#part('mark').querySelector('path')?.setAttribute('d', MARKS[text.tone])
    const { headline, hint, amount, deadline, action } = text
    const values = { headline, hint, amount, deadline, action: action?.label ?? '' }
    for (const [name, value] of Object.entries(values)) {
      const part = this.#part(name)
      // A live region is read again when its text is set, also to the same.
      if (part.textContent !== value) part.textContent = value
    }
    const about = { bubbles: true, composed: true }
    this.dispatchEvent(new CustomEvent('payment-change', { ...about, detail: view }))
    if (view.error === null) return
    if (this.dispatchEvent(new CustomEvent('payment-error', { ...about, detail: view.error, cancelable: true })))
      reportError(view.error)
  }

  #act(): void {
    const url = this.#shown?.action?.url
    if (url === null) this.#store?.retry()
    else if (url !== undefined && matchMedia('(pointer: coarse)').matches) location.assign(url)
    else if (url !== undefined) openCheckout(url)
  }

  #locale(): string {
    return this.closest<HTMLElement>('[lang]')?.lang || navigator.language
  }

  #part(name: string): HTMLElement {
    return this.shadowRoot?.querySelector(`[part=${name}]`) as HTMLElement
  }
}

if (typeof customElements !== 'undefined' && customElements.get('payment-status') === undefined)
  customElements.define('payment-status', PaymentStatusElement)

declare global {
  interface HTMLElementTagNameMap {
    'payment-status': PaymentStatusElement
  }
}
