import { formatAmount } from 'payments-subgraph-client'
import { Icon } from 'payments-subgraph-pages/design/icons'
import { useEffect, useRef } from 'preact/hooks'
import type { Money } from '../format-money.ts'
import { Thing } from '../icons.tsx'
import { fill, useSpeech } from '../language.ts'
import type { Catalogue } from '../shop-server.ts'
import { type Basket, type BasketLine, MOST_OF_ONE } from './basket.ts'

type OrderSummaryProps = {
  readonly catalogue: Catalogue
  readonly basket: Basket
  readonly lines: readonly BasketLine[]
  /** Null when the basket is empty. */
  readonly total: Money | null
  readonly onChange: (part: Partial<Basket>) => void
}

/** What is in the basket and what else there is; folded on a phone, where the total stays in sight. */
export function OrderSummary({ catalogue, basket, lines, total, onChange }: OrderSummaryProps) {
  const { language, texts } = useSpeech()
  const zero = lines[0] && { ...lines[0].price, value: '0' }
  const sum = total ?? zero
  const due = sum && formatAmount(sum, language)
  const nameOf = (sku: string) => catalogue.items.find((item) => item.sku === sku)?.names[language] ?? sku
  const setQuantity = (sku: string, quantity: number) =>
    onChange({ quantities: { ...basket.quantities, [sku]: quantity } })
  const others = lines.filter(({ quantity }) => quantity === 0)
  return (
    <>
      <p class="due">
        <span class="faint">{texts.order}</span>
        <b class="figure">{due}</b>
      </p>
      <details class="fold" ref={useUnfolded(total === null)}>
        <summary>
          <span>
            <Icon name="cart" />
            {texts.orderSummary}
            <Icon name="down" />
          </span>
          <b class="figure">{due}</b>
        </summary>
        {total === null && <p role="status">{texts.empty}</p>}
        <ul class="lines">
          {lines
            .filter(({ quantity }) => quantity > 0)
            .map((line) => (
              <Line
                key={line.sku}
                line={line}
                name={nameOf(line.sku)}
                onQuantity={(count) => setQuantity(line.sku, count)}
              />
            ))}
        </ul>
        {others.length > 0 && (
          <ul class="more" aria-label={texts.more}>
            {others.map(({ sku, price }) => (
              <li key={sku}>
                {nameOf(sku)}
                <span class="figure">{formatAmount(price, language)}</span>
                <button
                  class="button"
                  type="button"
                  aria-label={fill(texts.addItem, { item: nameOf(sku) })}
                  onClick={() => setQuantity(sku, 1)}
                >
                  <Icon name="plus" />
                  {texts.add}
                </button>
              </li>
            ))}
          </ul>
        )}
        <dl class="sums">
          <div class="total">
            <dt>{texts.total}</dt>
            <dd>{due}</dd>
          </div>
        </dl>
        <CurrencyChoice
          currencies={catalogue.currencies}
          chosen={basket.currency}
          onChoose={(currency) => onChange({ currency, methodCode: null })}
        />
      </details>
    </>
  )
}

/** Beside the choice of a method the summary is always open. An empty one is open everywhere: there is nothing else to do. */
function useUnfolded(isEmpty: boolean) {
  const element = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const wide = matchMedia('(width > 860px)')
    const follow = () => {
      if (element.current !== null) element.current.open = wide.matches || isEmpty
    }
    follow()
    wide.addEventListener('change', follow)
    return () => wide.removeEventListener('change', follow)
  }, [isEmpty])
  return element
}

type LineProps = {
  readonly line: BasketLine
  readonly name: string
  readonly onQuantity: (quantity: number) => void
}

function Line({ line: { sku, quantity, price, sum }, name, onQuantity }: LineProps) {
  const { language, texts } = useSpeech()
  return (
    <li>
      <Thing sku={sku} />
      <span class="what">
        <b>{name}</b>
        <small class="figure">{fill(texts.each, { price: formatAmount(price, language) })}</small>
      </span>
      <span class="qty" role="group" aria-label={fill(texts.quantityOf, { item: name })}>
        <button type="button" aria-label={texts.oneLess} onClick={() => onQuantity(quantity - 1)}>
          <Icon name="minus" />
        </button>
        <output>{quantity}</output>
        <button
          type="button"
          aria-label={texts.oneMore}
          disabled={quantity >= MOST_OF_ONE}
          onClick={() => onQuantity(quantity + 1)}
        >
          <Icon name="plus" />
        </button>
      </span>
      <span class="figure sum">{formatAmount(sum, language)}</span>
    </li>
  )
}

type CurrencyChoiceProps = {
  readonly currencies: readonly string[]
  readonly chosen: string
  readonly onChoose: (currency: string) => void
}

function CurrencyChoice({ currencies, chosen, onChoose }: CurrencyChoiceProps) {
  const { language, texts } = useSpeech()
  const names = new Intl.DisplayNames(language, { type: 'currency' })
  return (
    <label class="field cur">
      <span class="label">{texts.currency}</span>
      <select class="select" value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {currencies.map((currency) => (
          <option key={currency} value={currency}>
            {currency} · {names.of(currency)}
          </option>
        ))}
      </select>
    </label>
  )
}
