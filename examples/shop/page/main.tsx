import './shop.css'
import { Sprite } from 'payments-subgraph-pages/design/icons'
import { surviveTranslation } from 'payments-subgraph-pages/translation'
import { render } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { BasketPage } from './basket/basket-page.tsx'
import { useCheckout } from './checkout-window.ts'
import { loadLanguage, type Speaking, Speech, useLanguage } from './language.ts'
import { usePlace } from './order-address.ts'
import { OrderPage, UnknownOrder } from './order/order-page.tsx'
import { SHOP_NAME, ShopHead } from './shop-head.tsx'
import { useCatalogue } from './use-catalogue.ts'

surviveTranslation()
const root = document.querySelector('#app')
const first = await loadLanguage()
if (root !== null) render(<App first={first} />, root)

/** The shop: the checkout, and the page of an order. */
function App({ first: begun }: { readonly first: Speaking }) {
  const [speaking, setLanguage] = useLanguage(begun)
  const { texts } = speaking
  const { catalogue, load } = useCatalogue()
  const [{ order, followed }, go] = usePlace()
  const checkout = useCheckout()
  const page = order === null ? 'basket' : (followed?.linkId ?? 'unknown')
  const isReady = typeof catalogue === 'object'
  useFocusOnHeading(page)
  const title = order === null ? texts.checkout : followed === null ? texts.unknownOrder : texts.order
  // With the heading, not after it.
  useLayoutEffect(() => {
    document.title = `${title} · ${SHOP_NAME}`
  }, [title])
  const head = <ShopHead onChoose={setLanguage} go={go} />
  return (
    <Speech value={speaking}>
      <Sprite />
      {isReady && order === null && <BasketPage head={head} catalogue={catalogue} checkout={checkout} go={go} />}
      {isReady && order !== null && followed === null && (
        <UnknownOrder head={head} hint={texts.unknownOrderHint} go={go} />
      )}
      {isReady && followed !== null && (
        <OrderPage
          key={page}
          head={head}
          followed={followed}
          checkout={checkout}
          emulator={catalogue.emulator}
          go={go}
        />
      )}
      {!isReady && (
        <div class="single">
          {head}
          <main id="content">
            {catalogue === 'loading' && <p role="status">{texts.loading}</p>}
            {catalogue === 'failed' && (
              <section class="now-card" role="alert">
                <p>{texts.catalogueFailed}</p>
                <button type="button" class="button pay-button" onClick={load}>
                  {texts.tryAgain}
                </button>
              </section>
            )}
            {catalogue === 'none' && (
              <section class="now-card">
                <h1>{texts.notAvailable}</h1>
                <p class="quiet">{texts.notAvailableHint}</p>
              </section>
            )}
          </main>
        </div>
      )}
    </Speech>
  )
}

/** Moves the focus to the heading after a page change, as a page load would; otherwise it stays on a removed button. */
function useFocusOnHeading(page: string): void {
  const shown = useRef(page)
  useEffect(() => {
    if (shown.current === page) return
    shown.current = page
    const heading = document.querySelector('h1')
    heading?.setAttribute('tabindex', '-1')
    heading?.focus()
  }, [page])
}
