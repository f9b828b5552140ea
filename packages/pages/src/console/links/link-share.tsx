import { drawQrCode } from 'payments-subgraph-lib/draw-qr-code'
import { Icon } from '../../design/icons.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Amount, amountText, type AmountValue, Id } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'

type Props = {
  readonly link: {
    readonly id: string
    readonly reference: string
    readonly checkoutUrl: string
    readonly expiresAt: string
    readonly requestedAmount: AmountValue
  }
}

/** A link for its customer: as a QR code, to copy, to send. */
export function LinkShare({ link: { id, reference, checkoutUrl, expiresAt, requestedAmount } }: Props) {
  const { path, size } = drawQrCode(checkoutUrl)
  const body = `${amountText(requestedAmount)}, ${reference}: ${checkoutUrl}`
  return (
    <section class="card link-share" aria-label="For the customer">
      <div class="link-now">
        <div class="qr">
          <div class="paper">
            <svg
              viewBox={`0 0 ${size} ${size}`}
              role="img"
              aria-label="QR code of the link. The address is beside it as text."
              shape-rendering="crispEdges"
            >
              <path d={path} />
            </svg>
          </div>
        </div>
        <div class="stack-3">
          <p>
            <a href={hrefOf('links', id)}>{reference}</a>, <Amount of={requestedAmount} />, open until{' '}
            <Moment at={expiresAt} isExact />
          </p>
          <p class="mono wrap-any">
            <Id of={checkoutUrl} what="link" />
          </p>
          <div class="row wrap">
            <a
              class="button"
              href={`mailto:?subject=${encodeURIComponent(reference)}&body=${encodeURIComponent(body)}`}
            >
              <Icon name="arrow" />
              <span>Send by e-mail</span>
            </a>
            <a class="button" href={checkoutUrl} target="_blank" rel="noreferrer">
              <Icon name="external" />
              <span>Open the page</span>
            </a>
          </div>
        </div>
      </div>
    </section>
  )
}
