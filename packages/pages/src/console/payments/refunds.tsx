import { Amount, Moment, Status } from '../pieces/values.tsx'
import type { PaymentNow } from './payment.tsx'

/** The refunds of a payment, oldest first; nothing for a payment without any. */
export function Refunds({ refunds }: { readonly refunds: PaymentNow['refunds'] }) {
  if (refunds.length === 0) return null
  return (
    <section aria-labelledby="refunds">
      <h2 id="refunds">Refunds</h2>
      <ol aria-label="Refunds">
        {refunds.map(({ id, state, amount, requestedHere, requestedAt, settledAt, description, idempotencyKey }) => (
          <li key={id}>
            <Status of={state} /> {amount === null ? 'of an unknown amount' : <Amount of={amount} />},{' '}
            {requestedHere ? 'requested here' : 'created elsewhere'}
            {requestedAt !== null && (
              <>
                {' '}
                <Moment at={requestedAt} />
              </>
            )}
            {settledAt !== null && (
              <>
                , ended <Moment at={settledAt} />
              </>
            )}
            {description != null && `: ${description}`}
            {idempotencyKey != null && (
              <span class="quiet">
                {' '}
                (key <code>{idempotencyKey}</code>)
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
