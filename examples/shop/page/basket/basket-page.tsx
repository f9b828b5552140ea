import { formatAmount, ask } from 'payments-subgraph-client'
import { useEffect, useState } from 'preact/hooks'
import { FaultNotice } from '../fault-notice.tsx'
import { isLess, type Money } from '../format-money.ts'
import { ShopMethodsDocument, type ShopMethodsQuery } from '../generated/graphql.ts'
import { useSpeech } from '../language.ts'
import { addressOf } from '../order-address.ts'
import { asShopFault, type Catalogue, placeLiveOrder, type ShopFault, ENDPOINT } from '../shop-server.ts'
import { Steps } from '../steps.tsx'
import './basket.css'
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

type MethodChoiceProps = {
  readonly list: MethodList | 'failed' | null
  readonly amount: Money
  /** Null: chosen on the payment page. */
  readonly chosen: string | null
  readonly onChoose: (code: string | null) => void
}

/** Whether a method accepts an amount; null when the method has no limits. */
function takes({ accepts }: Method): boolean {
  return accepts !== false
}

/** The payment methods for an amount, as a group of radio buttons. A method that does not accept the amount shows why. */
function MethodChoice({ list, amount, chosen, onChoose }: MethodChoiceProps) {
  const { language, texts } = useSpeech()
  const nodes = list === null || list === 'failed' ? [] : list.nodes
  const noneTakes = nodes.length > 0 && !nodes.some(takes)
  return (
    <fieldset class="methods">
      <legend>{texts.howToPay}</legend>
      <Notice list={list} currency={amount.currency} />
      {noneTakes && <p role="alert">{texts.noMethodTakes(formatAmount(amount, language))}</p>}
      <label class="method">
        <input type="radio" name="method" checked={chosen === null} onChange={() => onChoose(null)} />
        <span class="name">{texts.anyMethod}</span>
      </label>
      {nodes.map((method) => (
        <label class="method" key={method.code}>
          <input
            type="radio"
            name="method"
            value={method.code}
            checked={chosen === method.code}
            disabled={!takes(method)}
            onChange={() => onChoose(method.code)}
          />
          <MethodText method={method} amount={amount} />
        </label>
      ))}
    </fieldset>
  )
}

function Notice({ list, currency }: { readonly list: MethodChoiceProps['list']; readonly currency: string }) {
  const { texts } = useSpeech()
  if (list === null) return <p role="status">{texts.methodsLoading}</p>
  if (list === 'failed') return <p role="status">{texts.methodsFailed}</p>
  if (list.unavailable.includes(currency)) return <p role="status">{texts.methodsUnavailable(currency)}</p>
  return list.stale ? <p role="status">{texts.methodsStale}</p> : null
}

function MethodText({ method, amount }: { readonly method: Method; readonly amount: Money }) {
  const { language, texts } = useSpeech()
  const { minAmount: least, maxAmount: most, cardBrands } = method
  // The graph may add kinds; a method of an unknown kind shows only its name.
  const kind = method.kind !== 'OTHER' && Object.hasOwn(texts.kinds, method.kind) ? texts.kinds[method.kind] : null
  const show = (money: Money) => formatAmount(money, language)
  return (
    <span class="name">
      <bdi>{method.name}</bdi>
      {kind !== null && kind !== method.name && <small>{kind}</small>}
      {takes(method) && least && most && <small>{texts.limits(show(least), show(most))}</small>}
      {!takes(method) && least && isLess(amount, least) && <small class="why">{texts.tooLittle(show(least))}</small>}
      {!takes(method) && most && isLess(most, amount) && <small class="why">{texts.tooMuch(show(most))}</small>}
      {cardBrands && cardBrands.length > 0 && <small>{texts.brands(cardBrands.join(', '))}</small>}
      {method.traits.promptsHandset && <small>{texts.promptsHandset}</small>}
    </span>
  )
}

type MethodList = ShopMethodsQuery['payinMethods'] & {}
type Method = MethodList['nodes'][number]

const AGAIN_MS = 3_000

/** Returns the payment methods for an amount: null while loading, `'failed'` when there is no response. What is missing is asked for again. */
function useMethods(amount: Money | null): MethodList | 'failed' | null {
  const [answer, setAnswer] = useState<{ readonly to: string; readonly list: MethodList | 'failed' } | null>(null)
  const [tries, setTries] = useState(0)
  const { value, currency } = amount ?? { value: '', currency: '' }
  useEffect(() => {
    if (value === '') return undefined
    const asking = new AbortController()
    ask(ShopMethodsDocument, { currency, amount: { value, currency } }, ENDPOINT, { signal: asking.signal }).then(
      ({ payinMethods }) => setAnswer({ to: currency, list: payinMethods ?? 'failed' }),
      () => {
        if (!asking.signal.aborted) setAnswer({ to: currency, list: 'failed' })
      },
    )
    return () => asking.abort()
  }, [value, currency, tries])
  useEffect(() => {
    if (answer === null || !isIncomplete(answer.list)) return undefined
    const timer = setTimeout(() => setTries((count) => count + 1), AGAIN_MS)
    return () => clearTimeout(timer)
  }, [answer])
  // When the amount changes, the list of the same currency stays visible; that of another currency would be wrong.
  return answer?.to === currency ? answer.list : null
}

function isIncomplete(list: MethodList | 'failed'): boolean {
  return list === 'failed' || list.unavailable.length > 0
}
