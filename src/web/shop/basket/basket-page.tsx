import { useEffect, useState } from 'preact/hooks'
import { formatAmount } from '../../../client/index.ts'
import { FaultNotice } from '../fault-notice.tsx'
import { useSpeech } from '../language.ts'
import { addressOf } from '../order-address.ts'
import { asShopFault, type Catalogue, placeLiveOrder, type ShopFault } from '../shop-server.ts'
import { Steps } from '../steps.tsx'
import { useRetry } from '../use-retry.ts'
import { BasketTable } from './basket-table.tsx'
import { type Basket, keepBasket, keepOrder, keptBasket, linesOf, MOST_OF_ONE, orderOf, totalOf } from './basket.ts'
import { MethodChoice, takes } from './method-choice.tsx'
import { useMethods } from './use-methods.ts'
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
