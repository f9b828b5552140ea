import { useEffect, useState } from 'preact/hooks'
import { formatAmount, ask } from '../../../client/index.ts'
import { isLess, type Money } from '../format-money.ts'
import { ShopMethodsDocument, type ShopMethodsQuery } from '../generated/graphql.ts'
import { useSpeech } from '../language.ts'
import { ENDPOINT } from '../shop-server.ts'

type MethodChoiceProps = {
  readonly list: MethodList | 'failed' | null
  readonly amount: Money
  /** Null: chosen on the payment page. */
  readonly chosen: string | null
  readonly onChoose: (code: string | null) => void
}

/** Whether a method accepts an amount; null when the method has no limits. */
export function takes({ accepts }: Method): boolean {
  return accepts !== false
}

/** The payment methods for an amount, as a group of radio buttons. A method that does not accept the amount shows why. */
export function MethodChoice({ list, amount, chosen, onChoose }: MethodChoiceProps) {
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
export function useMethods(amount: Money | null): MethodList | 'failed' | null {
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
