import { formatAmount } from 'payments-subgraph-client'
import { useState } from 'preact/hooks'
import { isLess, type Money } from '../format-money.ts'
import { KindPicture } from '../icons.tsx'
import { fill, useSpeech } from '../language.ts'
import { ANY_METHOD } from './basket.ts'
import { type Method, type MethodList, takes } from './use-methods.ts'

type MethodChoiceProps = {
  /** Null while it is loading. */
  readonly list: MethodList | 'failed' | null
  readonly amount: Money
  readonly chosen: string
  readonly onChoose: (code: string) => void
}

/** Skeletons in the place of a list that is loading: most currencies have so many methods. */
const USUAL_COUNT = 2

/** The payment methods for an amount, as a group of radio buttons. A method that does not accept the amount shows why. */
export function MethodChoice({ list, amount, chosen, onChoose }: MethodChoiceProps) {
  const { language, texts } = useSpeech()
  const nodes = list === null || list === 'failed' ? [] : list.nodes
  const noneTakes = nodes.length > 0 && !nodes.some(takes)
  const currency = new Intl.DisplayNames(language, { type: 'currency' }).of(amount.currency) ?? amount.currency
  return (
    <>
      <Notice list={list} currency={amount.currency} />
      {noneTakes && (
        <p role="alert" class="notice look">
          {fill(texts.noMethodTakes, { amount: formatAmount(amount, language) })}
        </p>
      )}
      <fieldset class="methods" aria-busy={list === null}>
        <legend class="hidden-text">{fill(texts.waysToPay, { currency })}</legend>
        {list === null &&
          Array.from({ length: USUAL_COUNT }, (_, index) => (
            <div class="method" key={index}>
              <span class="skeleton dot" />
              <span class="skeleton picture" />
              <span class="skeleton" />
            </div>
          ))}
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
            <MethodPicture method={method} />
            <MethodWords method={method} amount={amount} />
          </label>
        ))}
        <label class="method">
          <input
            type="radio"
            name="method"
            value={ANY_METHOD}
            checked={list !== null && chosen === ANY_METHOD}
            onChange={() => onChoose(ANY_METHOD)}
          />
          <KindPicture kind="ANY" />
          <span class="words">
            <b>{texts.anyMethod}</b>
            <small>{texts.anyMethodHint}</small>
          </span>
        </label>
      </fieldset>
    </>
  )
}

function Notice({ list, currency }: { readonly list: MethodChoiceProps['list']; readonly currency: string }) {
  const { texts } = useSpeech()
  const text =
    list === null
      ? texts.methodsLoading
      : list === 'failed'
        ? texts.methodsFailed
        : list.unavailable.includes(currency)
          ? fill(texts.methodsUnavailable, { currency })
          : list.stale
            ? texts.methodsStale
            : ''
  // While the list is loading its skeletons say so to everybody else.
  return (
    <p role="status" class={list === null || text === '' ? 'hidden-text' : 'notice look'}>
      {text}
    </p>
  )
}

/** The payments API's own picture of a method; that of its kind where there is none, or it cannot be loaded. */
function MethodPicture({ method: { logo, kind } }: { readonly method: Method }) {
  const [isBroken, setBroken] = useState(false)
  if (logo === null || isBroken) return <KindPicture kind={kind} />
  return <img class="pic" src={logo} alt="" width="40" height="40" onError={() => setBroken(true)} />
}

function MethodWords({ method, amount }: { readonly method: Method; readonly amount: Money }) {
  const { language, texts } = useSpeech()
  const { minAmount: least, maxAmount: most } = method
  const show = (money: Money) => formatAmount(money, language)
  const brands = method.cardBrands ?? []
  // The graph may add kinds; a method of an unknown kind shows only its name.
  const kinds: Readonly<Record<string, string>> = texts.kinds
  const why =
    !takes(method) && least && isLess(amount, least)
      ? fill(texts.tooLittle, { least: show(least) })
      : !takes(method) && most && isLess(most, amount)
        ? fill(texts.tooMuch, { most: show(most) })
        : null
  return (
    <>
      <span class="words">
        <b>
          <bdi>{method.name}</bdi>
        </b>
        <small>{why ?? kinds[method.kind]}</small>
      </span>
      {brands.length > 0 && (
        <span class="brands">
          {brands.map((brand) => (
            <i key={brand}>{brand}</i>
          ))}
        </span>
      )}
    </>
  )
}
