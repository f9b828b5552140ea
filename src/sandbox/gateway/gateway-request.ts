import { recordedAmount } from '../methods/methods.ts'
import type { LinkRequest } from '../payments/link.ts'
import type { SandboxSite } from '../state/sandbox-sites.ts'
import { decimal } from '../values/decimal.ts'
import { Fields } from '../values/request-fields.ts'
import type { JsonObject, Problems } from '../values/request-fields.ts'
import { positiveNumber, readEmail, requiredTarget, requiredUrl } from '../values/request-parts.ts'

/** Validates the body of a gateway payment (gap sheet, section 4). */
export function readGatewayRequest(
  body: JsonObject,
  site: SandboxSite,
): { orderId: string; request: LinkRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const currency = site.currencies[0] ?? ''
  const orderId = fields.text('order_id')
  const request: LinkRequest = {
    currency,
    amount: recordedAmount(positiveNumber(fields, 'amount') ?? decimal('0'), currency),
    description: fields.text('description'),
    sender: readOrderDetails(fields),
    methodCode: null,
    expiresInSeconds: LIFETIME_S,
    redirect: { success: requiredUrl(fields, 'order_success_url') },
    webhook: requiredTarget(fields, 'payment_gateway_notification'),
    metaData: undefined,
  }
  return fields.isClean ? { orderId, request } : { problems: fields.problems }
}

/** In seconds. The lifetime of the page is not documented; this is the lifetime of a link. */
const LIFETIME_S = 1800

function readOrderDetails(fields: Fields): LinkRequest['sender'] {
  const details = fields.requiredObject('order_details')
  if (details === undefined) return { email: '', firstName: '', lastName: '' }
  details.optionalObject('shipping_details')
  if (details.optional('items') !== undefined) details.requiredObjects('items')
  const billing = details.requiredObject('billing_details')
  if (billing === undefined) return { email: '', firstName: '', lastName: '' }
  billing.text('phone')
  billing.optionalText('company')
  return { email: readEmail(billing), firstName: billing.text('first_name'), lastName: billing.text('last_name') }
}
