import { Icon } from 'payments-subgraph-pages/design/icons'
import { ShopMark } from './icons.tsx'
import { isLanguage, type Language, LANGUAGE_NAMES, useSpeech } from './language.ts'

/** The name of the shop, the same in every language. */
export const SHOP_NAME = 'Harbour Coffee'

type ShopHeadProps = { readonly onChoose: (language: Language) => void; readonly go: (address: string) => void }

/** The head of every page of the shop: its name, and the choice of the language. */
export function ShopHead({ onChoose, go }: ShopHeadProps) {
  const { language, texts } = useSpeech()
  return (
    <header class="shop-head">
      <a
        class="shop-name"
        href="/shop"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          go('/shop')
        }}
      >
        <ShopMark />
        {SHOP_NAME}
      </a>
      <span class="badge sandbox" lang="en">
        SANDBOX
      </span>
      <label class="lang">
        <Icon name="globe" />
        <span class="hidden-text">{texts.language}</span>
        <select
          class="select"
          value={language}
          onChange={({ currentTarget: { value } }) => {
            if (isLanguage(value)) onChoose(value)
          }}
        >
          {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </header>
  )
}
