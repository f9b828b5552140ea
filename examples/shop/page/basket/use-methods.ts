import { ask } from 'payments-subgraph-client'
import { useEffect, useState } from 'preact/hooks'
import type { Money } from '../format-money.ts'
import { ShopMethodsDocument, type ShopMethodsQuery } from '../generated/graphql.ts'
import { ENDPOINT } from '../shop-server.ts'

export type MethodList = ShopMethodsQuery['payinMethods'] & {}
export type Method = MethodList['nodes'][number]

/** Whether a method accepts the amount; true when the method has no limits. */
export function takes({ accepts }: Method): boolean {
  return accepts !== false
}

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
