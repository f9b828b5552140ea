import './shop.css'
import { surviveTranslation } from 'payments-subgraph-pages/translation'
import { render } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { BasketPage } from './basket/basket-page.tsx'
import { isLanguage, type Language, LANGUAGE_NAMES, Speech, useLanguage, useSpeech } from './language.ts'
import { usePlace } from './order-address.ts'
import { OrderPage, UnknownOrder } from './order/order-page.tsx'
import type { Catalogue } from './shop-server.ts'
import { useCatalogue } from './use-catalogue.ts'

surviveTranslation()
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)

/** The shop: a basket, and the page of an order. */
function App() {
  const [speaking, setLanguage] = useLanguage()
  const { texts, language } = speaking
  const { catalogue, load } = useCatalogue()
  return (
    <Speech value={speaking}>
      <header>
        <p class="shop-name">{texts.shopName}</p>
        <LanguageChoice chosen={language} onChoose={setLanguage} />
      </header>
      <main>
        {catalogue === 'loading' && <p role="status">{texts.loading}</p>}
        {catalogue === 'failed' && (
          <div role="alert">
            <p>{texts.catalogueFailed}</p>
            <button type="button" onClick={load}>
              {texts.tryAgain}
            </button>
          </div>
        )}
        {catalogue === 'none' && (
          <>
            <h1>{texts.notAvailable}</h1>
            <p>{texts.notAvailableHint}</p>
          </>
        )}
        {typeof catalogue === 'object' && <Shop catalogue={catalogue} />}
      </main>
      <footer>
        <p>{texts.sandboxNote}</p>
      </footer>
    </Speech>
  )
}

function Shop({ catalogue }: { readonly catalogue: Catalogue }) {
  const { texts } = useSpeech()
  const [{ order, followed }, go] = usePlace()
  const page = order === null ? 'basket' : (followed?.linkId ?? 'unknown')
  useFocusOnHeading(page)
  const title = order === null ? texts.basket : followed === null ? texts.unknownOrder : texts.order
  // With the heading, not after it.
  useLayoutEffect(() => {
    document.title = `${title} · ${texts.shopName}`
  }, [title, texts])
  if (order === null) return <BasketPage catalogue={catalogue} go={go} />
  if (followed === null) return <UnknownOrder hint={texts.unknownOrderHint} go={go} />
  return <OrderPage key={page} followed={followed} emulator={catalogue.emulator} go={go} />
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

type LanguageChoiceProps = { readonly chosen: Language; readonly onChoose: (language: Language) => void }

function LanguageChoice({ chosen, onChoose }: LanguageChoiceProps) {
  const { texts } = useSpeech()
  return (
    <label>
      {texts.language}{' '}
      <select
        value={chosen}
        onChange={({ currentTarget: { value } }) => {
          if (isLanguage(value)) onChoose(value)
        }}
      >
        {Object.entries(LANGUAGE_NAMES).map(([language, name]) => (
          <option key={language} value={language} lang={language}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
