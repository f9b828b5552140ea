import { Icon } from 'payments-subgraph-pages/design/icons'
import { useSpeech } from './language.ts'
import type { ShopFault } from './shop-server.ts'

/** Says why the shop's server refused a request: a sentence for the customer, and the server's own message below it. */
export function FaultNotice({ fault }: { readonly fault: ShopFault | null }) {
  const { texts } = useSpeech()
  if (fault === null) return null
  const { code, message, problems } = fault.fault
  return (
    <div role="alert" class="banner fault">
      <Icon name="warn" />
      <div>
        <p>{texts.orderFaults[code]}</p>
        <details>
          <summary>{texts.details}</summary>
          <ul lang="en">
            {problems.length === 0 && <li>{message}</li>}
            {problems.map((problem) => (
              <li key={problem.field}>
                <code>{problem.field}</code>: {problem.message}
              </li>
            ))}
          </ul>
        </details>
      </div>
    </div>
  )
}
