import { useEffect, useState } from 'preact/hooks'
import { formatAmount } from '../../../client/index.ts'
import { FaultNotice } from '../fault-notice.tsx'
import { useSpeech } from '../language.ts'
import { addressOf } from '../order-address.ts'
import { asShopFault, type Catalogue, placeLiveOrder, type ShopFault } from '../shop-server.ts'
import { Steps } from '../steps.tsx'
import { useRetry } from '../use-retry.ts'
import {
  type Basket,
  keepBasket,
  keepOrder,
  keptBasket,
  linesOf,
  MOST_OF_ONE,
  orderOf,
  totalOf,
  type BasketLine,
} from './basket.ts'
import { MethodChoice, takes, useMethods } from './method-choice.tsx'
import './basket.css'

type BasketPageProps = { readonly catalogue: Catalogue; readonly go: (address: string) => void }

/** The basket, its payment methods, and the button that places the order and creates its link. */
export function BasketPage({ catalogue, go }: BasketPageProps) {
  const { language, texts } = useSpeech()
  const [basket, setBasket] = useState(() => keptBasket(catalogue))
  const [placing, setPlacing] = useState(false)
  const [fault, setFault] = useState<ShopFault | null>(null)
  useEffect(() => keepBasket(basket), [basket])

  const lines = linesOf(basket, catalogue)
  const total = totalOf(lines)
  const list = useMethods(total)
  const methods = list === null || list === 'failed' ? [] : list.nodes
  // The method that was chosen before may not accept this amount.
  const chosen = methods.find((method) => method.code === basket.methodCode && takes(method))?.code ?? null
  const methodCode = list === null ? basket.methodCode : chosen
  const isPayable = total !== null && (methods.length === 0 || methods.some(takes))
  const change = (part: Partial<Basket>) => {
    // What is changed is ordered when the customer says so.
    setFault(null)
    setBasket({ ...basket, ...part })
  }

  const order = async () => {
    const wanted = orderOf({ ...basket, methodCode }, lines, language)
    setPlacing(true)
    try {
      const { order: taken, placed } = await placeLiveOrder(wanted)
      keepOrder({ order: taken, linkId: placed.linkId })
      go(addressOf(taken.orderId, placed))
    } catch (error) {
      setFault(asShopFault(error))
      setPlacing(false)
    }
  }
  useRetry(fault, () => void order())
  return (
    <>
      <Steps current="stepBasket" />
      <h1>{texts.basket}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isPayable && !placing) void order()
        }}
      >
        <CurrencyChoice
          currencies={catalogue.currencies}
          chosen={basket.currency}
          onChoose={(currency) => change({ currency, methodCode: null })}
        />
        <BasketTable
          catalogue={catalogue}
          lines={lines}
          onQuantity={(sku, quantity) => change({ quantities: { ...basket.quantities, [sku]: quantity } })}
          most={MOST_OF_ONE}
        />
        {total === null ? (
          <p role="status">{texts.empty}</p>
        ) : (
          <>
            <p class="total">
              {texts.total} <output>{formatAmount(total, language)}</output>
            </p>
            <MethodChoice
              list={list}
              amount={total}
              chosen={methodCode}
              onChoose={(code) => change({ methodCode: code })}
            />
          </>
        )}
        <FaultNotice fault={fault} />
        <button class="primary" disabled={!isPayable || placing}>
          {placing ? texts.placing : texts.continue}
        </button>
      </form>
    </>
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
    <p class="currency">
      <label>
        {texts.currency}{' '}
        <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          {currencies.map((currency) => (
            <option key={currency} value={currency}>
              {currency} · {names.of(currency)}
            </option>
          ))}
        </select>
      </label>
    </p>
  )
}

type BasketTableProps = {
  readonly catalogue: Catalogue
  readonly lines: readonly BasketLine[]
  readonly most: number
  readonly onQuantity: (sku: string, quantity: number) => void
}

/** The items for sale, and their quantities in the basket. */
function BasketTable({ catalogue, lines, most, onQuantity }: BasketTableProps) {
  const { language, texts } = useSpeech()
  const nameOf = (sku: string) => catalogue.items.find((item) => item.sku === sku)?.names[language] ?? sku
  return (
    <table class="basket">
      <thead>
        <tr>
          <th scope="col">{texts.item}</th>
          <th scope="col" class="figure">
            {texts.price}
          </th>
          <th scope="col">{texts.quantity}</th>
          <th scope="col" class="figure">
            {texts.sum}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ sku, quantity, price, sum }) => (
          <tr key={sku}>
            <th scope="row">{nameOf(sku)}</th>
            <td class="figure">{formatAmount(price, language)}</td>
            <td>
              <input
                type="number"
                aria-label={texts.quantityOf(nameOf(sku))}
                min={0}
                max={most}
                value={quantity}
                onInput={({ currentTarget }) => onQuantity(sku, quantityIn(currentTarget, most))}
              />
            </td>
            <td class="figure">{formatAmount(sum, language)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Converts any input to a whole number within bounds. */
function quantityIn({ valueAsNumber }: HTMLInputElement, most: number): number {
  return Number.isNaN(valueAsNumber) ? 0 : Math.min(Math.max(Math.trunc(valueAsNumber), 0), most)
}
