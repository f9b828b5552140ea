import type { Command } from '../domain/command.ts'
import { accepts, spanOf, type PayinMethod } from '../domain/methods/payin-method.ts'
import { mayBeRecordedAs } from '../domain/money/money.ts'
import {
  linkRequestProblems,
  createdLink,
  normaliseLinkRequest,
  type LinkRequest,
  type PaymentLink,
} from '../domain/payments/payment-link.ts'
import { type InputFailure, siteProblem } from '../lookups/operation-outcome.ts'
import { spanQuery } from '../upstream/client/exchange-checks.ts'
import type { Site } from '../upstream/client/sites.ts'
import type { ListedPayinLink } from '../upstream/endpoints/payin-endpoints.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { DatedPayinLink, PayinLinkRequest } from '../upstream/wire/wire-payin-request.ts'
import { callbackAddress, callbackUrl, findByAddress, type CommandOutcome, type Task } from './idempotency/task.ts'
import type { CommandParts } from './parts.ts'

/**
 * The payments API has no idempotency key for links. After an attempt without an answer we search for the link; if none is found
 * after this long, another is made. A link that was never handed out does no harm.
 */
const REPEAT_AFTER_MS = 30_000

/**
 * Creates a hosted checkout link. Everything that docs/payments-api.md forbids is rejected before the payments API is called. The
 * webhook URL is unique to the link: its last segment is a correlation id made before the call, so a webhook can be matched to
 * the link even if the call gets no answer. Source: docs/payments-api.md, sections 2.4 and 4.4.
 */
export async function createPaymentLink(
  options: CommandParts,
  asked: LinkRequest,
): Promise<CommandOutcome<PaymentLink> | InputFailure> {
  const request = normaliseLinkRequest(asked)
  const problems = linkRequestProblems(request)
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const site = options.sites.forCurrency(request.amount.currency, request.site ?? null)
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(options.sites, request)] }

  const task = linkTask(options, request, site)
  const earlier = await options.once.earlier(task)
  if (earlier !== null) return earlier
  const refusal = await methodRefusal(options.linkMethods, request)
  return refusal ?? options.once.run(task)
}

/** Checks the method and the amount against the live list. If the list is unavailable, the payments API does the validation. */
async function methodRefusal(
  methods: MethodCache<PayinMethod>,
  { amount, methodCode }: LinkRequest,
): Promise<InputFailure | null> {
  const list = await methods.list([amount.currency])
  if (list.unavailable.includes(amount.currency)) return null
  const candidates = methodCode == null ? list.methods : list.methods.filter((method) => method.code === methodCode)
  if (methodCode != null && candidates.length === 0)
    return { kind: 'method-unavailable', availableCodes: list.methods.map((method) => method.code) }
  if (candidates.length === 0 || candidates.some((method) => accepts(method, amount) !== false)) return null
  return { kind: 'amount-out-of-range', ...spanOf(candidates) }
}

function linkTask(options: CommandParts, request: LinkRequest, site: Site): Task<DatedPayinLink, PaymentLink> {
  const { store, upstream } = options
  return {
    mutation: 'createPaymentLink',
    key: request.idempotencyKey,
    input: request,
    site: site.id,
    refKind: 'link',
    repeatAfterMs: REPEAT_AFTER_MS,
    send: (ref) => upstream.createPayinLink(site, wireRequest(options, request, ref)),
    settle: async (command, answer) => {
      const at = options.clock()
      const { ref, sentAt } = command
      const link = createdLink(request, { site: site.id, ref, sentAt, at, ...answer })
      if (request.severalPayments === true) await store.commands.expectSeveral(link, at)
      await store.commands.settleWithLink(command.id, link, at)
      return link
    },
    replay: async (command) => {
      const { linkId } = command.result as { linkId: string }
      return (await store.links.byIds([linkId]))[0] ?? null
    },
    // If a link of an earlier attempt was paid, no second link is made.
    mayRepeat: async ({ ref }) => (await store.commands.paidThrough(ref)) === null,
    findOutcome: (command) => findLink(options, request, site, command),
  }
}

function wireRequest(options: CommandParts, request: LinkRequest, ref: string): PayinLinkRequest {
  const { customer } = request
  return {
    amount: request.amount,
    description: request.description,
    sender: {
      email: customer.email,
      firstName: customer.firstName,
      lastName: customer.lastName,
      address: customer.address ?? null,
      city: customer.city ?? null,
      postalCode: customer.postalCode ?? null,
      state: customer.state ?? null,
      countryCode: customer.countryCode ?? null,
      extra: (customer.extra ?? {}) as Record<string, string>,
    },
    methodCode: request.methodCode ?? null,
    expiresInSeconds: request.expiresInSeconds,
    successUrl: request.successUrl ?? null,
    failureUrl: request.failureUrl ?? null,
    reference: options.sendLinkReference ? request.reference : null,
    webhook: callbackAddress(options, 'payment', ref),
  }
}

/**
 * Returns the link of an attempt; null if there is none, or if the payments API tells its checkout URL nowhere: nobody has that, so that
 * nobody can pay through it, and another link may take its place.
 */
async function findLink(
  options: CommandParts,
  request: LinkRequest,
  site: Site,
  command: Pick<Command, 'ref' | 'sentAt'>,
): Promise<DatedPayinLink | null> {
  const { upstream, publicUrl, searches, clock } = options
  const { ref, sentAt } = command
  const attempt = { address: callbackUrl(publicUrl(), 'payment', ref), sentAt, searches, now: clock().getTime() }
  const read = (entry: ListedPayinLink) => upstream.getPayinLinkEntry(site, uuidOf(entry))
  const found = await findByAddress(
    attempt,
    ({ page, ...span }) => upstream.listPayinLinks(site, { ...spanQuery(span), page }),
    { candidates: (entries) => unclaimed(options, { request, ref, entries }), read },
  )
  if (found === null || found.link !== null) return found?.link ?? null
  return found.report.status === 'expired' ? null : (await read(found)).link
}

type Unclaimed = {
  readonly request: LinkRequest
  readonly ref: string
  readonly entries: readonly ListedPayinLink[]
}

/** Returns the entries that equal the request as far as they tell, and are not on record as what another request made. */
async function unclaimed(
  { store, sendLinkReference }: CommandParts,
  { request, ref, entries }: Unclaimed,
): Promise<ListedPayinLink[]> {
  const alike = entries.filter(({ report }) => {
    const { currency, amount, reference } = report.details
    const { email } = report.payer
    return (
      (currency === null || currency === request.amount.currency) &&
      (amount === null || mayBeRecordedAs(request.amount, amount)) &&
      (reference === null || !sendLinkReference || reference === request.reference) &&
      (email === null || email.toLowerCase() === request.customer.email.toLowerCase())
    )
  })
  const uuids = alike.map(uuidOf)
  const [links, payments] = await Promise.all([store.links.byIds(uuids), store.payments.byIds(uuids)])
  const others = new Set([
    ...links.map(({ id }) => id),
    ...payments.filter(({ linkRef }) => linkRef !== ref).map(({ id }) => id),
  ])
  return alike.filter((entry) => !others.has(uuidOf(entry)))
}

function uuidOf({ report }: ListedPayinLink): string {
  return report.linkId ?? report.paymentId
}
