import type { TokenRefusal } from '../../access/caller.ts'
import type { Logger } from '../../observability/logger.ts'
import type { Metrics } from '../../observability/metrics/metrics.ts'
import { createRepeatedLine } from '../../observability/repeated-line.ts'
import type { WebhookFigures } from '../../webhooks/webhook-figures.ts'
import type { WebhookRouteOptions } from './webhook-routes.ts'

/** Failures of the database that have no line of their own in the log. */
const WITHOUT_LINE = /^store_(?:slow|busy)$/

/** Returns what counts webhooks, and logs the reasons of those that were refused. */
export function watchWebhooks(
  metrics: Metrics,
  figures: Pick<WebhookFigures, 'answered'>,
  logger: Logger,
): WebhookRouteOptions['onAnswered'] {
  const logRefusal = createRepeatedLine(logger, 'webhooks were refused')
  return (kind, answered, milliseconds) => {
    const { status, outcome, reason, isAuthentic } = answered
    figures.answered(answered, milliseconds)
    const disposition = outcome?.disposition ?? 'none'
    metrics.webhookAnswered({ kind, status, disposition, reason: reason ?? 'none', milliseconds })
    if (isAuthentic) metrics.webhookAuthentic(kind)
    const isKnown = reason === null || reason === 'draining'
    if (!isKnown && (!reason.startsWith('store_') || WITHOUT_LINE.test(reason))) logRefusal({ kind, reason, status })
    if (outcome?.orphan !== undefined) metrics.orphanLinkPaid()
  }
}

/** Returns what counts and logs client tokens that were refused. */
export function watchTokenRefusals(metrics: Metrics, logger: Logger): (reason: TokenRefusal) => void {
  const log: Readonly<Record<TokenRefusal, (fields: { readonly reason: string }) => void>> = {
    invalid: createRepeatedLine(logger, 'client tokens were refused'),
    expired: createRepeatedLine(logger, 'client tokens have expired: if they are new, a clock is wrong', 'info'),
    not_yet_valid: createRepeatedLine(logger, "client tokens are not valid yet: compare this clock with the issuer's"),
  }
  return (reason) => {
    metrics.tokenRefused(reason)
    log[reason]({ reason })
  }
}
