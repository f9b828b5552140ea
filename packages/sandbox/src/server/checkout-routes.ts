import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isJsonRequest, rawBody, sendJson } from '../api/json-answers.ts'
import { checkoutPage, threeDsPage, unknownLinkPage } from '../checkout/checkout-page.ts'
import { complete3ds, confirmPaid, decline, dismissPrompt, letExpire, pay, type Refusal } from '../checkout/customer.ts'
import { CARD_LOGO, PAGE_SCRIPT } from '../checkout/page-script.ts'
import { awaits3ds, statusOf, type Link, pageState } from '../payments/link.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'

/** Reads a field of a customer action, from a form or a JSON object. */
type Form = (name: string) => string | undefined

type Action = (link: Link, form: Form) => Refusal | undefined

/** Registers the hosted checkout below `/checkout`: the page in its frame, its script, and the actions of the customer. */
export function registerCheckout(server: FastifyInstance, store: SandboxStore, frame: string): void {
  server.addHook('onSend', async (_request, reply) => {
    reply.headers({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })
  server.addHook('onResponse', async ({ method }) => {
    if (method === 'POST') store.changes.note()
  })
  const sendUnknown = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    wantsJson(request)
      ? sendJson(reply, 404, { errors: { message: 'There is no such payment link.' } })
      : sendPage(reply, unknownLinkPage(frame), { status: 404 })
  server.setNotFoundHandler(async (_request, reply) => sendPage(reply, unknownLinkPage(frame), { status: 404 }))
  server.get('/page.js', async (_request, reply) => reply.type('text/javascript').send(PAGE_SCRIPT))
  server.get('/card.svg', async (_request, reply) => reply.type('image/svg+xml').send(CARD_LOGO))

  server.get<Uuid>('/:uuid', async (request, reply) => {
    const link = store.links.get(request.params.uuid)
    if (link === undefined) return sendUnknown(request, reply)
    if (wantsJson(request)) return sendJson(reply, 200, stateOf(link))
    return sendPage(reply, checkoutPage(frame, link, store.clock.now()), { link })
  })
  server.get<Uuid>('/:uuid/3ds', async (request, reply) => {
    const link = store.links.get(request.params.uuid)
    if (link === undefined) return sendUnknown(request, reply)
    return awaits3ds(link) ? sendPage(reply, threeDsPage(frame, link)) : reply.redirect(`/checkout/${link.uuid}`, 303)
  })

  for (const [name, action] of Object.entries(actionsOf(store))) {
    server.post<Uuid>(`/:uuid/${name}`, async (request, reply) => {
      const link = store.links.get(request.params.uuid)
      return link === undefined ? sendUnknown(request, reply) : act({ request, reply, link, action })
    })
  }
  server.post<Uuid>('/:uuid/done', async (request, reply) => {
    const link = store.links.get(request.params.uuid)
    if (link === undefined) return sendUnknown(request, reply)
    return wantsJson(request) ? sendJson(reply, 200, stateOf(link)) : reply.redirect(afterDone(link), 303)
  })
}

type Uuid = { Params: { uuid: string } }

function actionsOf(store: SandboxStore): Record<string, Action> {
  return {
    pay: (link, form) => pay(store, link, form('method_code')),
    decline: (link, form) => decline(store, link, { methodCode: form('method_code'), code: form('error_code') }),
    expire: (link) => letExpire(store, link),
    confirm: (link) => confirmPaid(store, link),
    dismiss: (link) => dismissPrompt(store, link),
    '3ds': (link, form) => complete3ds(store, link, form('result') !== 'fail'),
  }
}

/** Carries out the customer's action. A browser is redirected to the page, which shows the outcome in either case. */
function act({ request, reply, link, action }: Act): FastifyReply {
  const refusal = action(link, readForm(request))
  if (!wantsJson(request)) return reply.redirect(`/checkout/${link.uuid}${awaits3ds(link) ? '/3ds' : ''}`, 303)
  if (refusal === undefined) return sendJson(reply, 200, stateOf(link))
  return sendJson(reply, refusal.httpStatus, { ...stateOf(link), message: refusal.message })
}

type Act = { request: FastifyRequest; reply: FastifyReply; link: Link; action: Action }

function stateOf(link: Link): Record<string, unknown> {
  const status = statusOf(link)
  const threeDs = link.payment?.payCode?.['3ds_url']
  return {
    status,
    page_state: pageState(status) ?? null,
    uuid: link.uuid,
    payment_uuid: link.payment?.uuid ?? null,
    ...(threeDs === undefined ? {} : { '3ds_url': threeDs }),
  }
}

/** Target of the Done button: the merchant's URL for this outcome if there is one, else the page. */
function afterDone(link: Link): string {
  const outcome = pageState(statusOf(link))
  const { success, failure } = link.request.redirect
  const target = outcome === 'success' ? success : outcome === 'failed' ? failure : undefined
  return target ?? `/checkout/${link.uuid}`
}

function readForm(request: FastifyRequest): Form {
  const text = rawBody(request).toString()
  if (!isJsonRequest(request)) return (name) => new URLSearchParams(text).get(name) ?? undefined
  const values = parseObject(text)
  return (name) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function wantsJson(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').includes('application/json')
}

function sendPage(
  reply: FastifyReply,
  page: string,
  { status = 200, link }: { status?: number; link?: Link } = {},
): FastifyReply {
  const policy = securityPolicy(link)
  return reply.code(status).header('content-security-policy', policy).type('text/html; charset=utf-8').send(page)
}

/** Browsers apply `form-action` to the redirect after a form too, so the policy includes the merchant's URLs. */
function securityPolicy(link: Link | undefined): string {
  const { success, failure } = link?.request.redirect ?? {}
  const origins = [success, failure].filter((url) => url !== undefined).map((url) => new URL(url).origin)
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    'img-src data:',
    `form-action ${["'self'", ...new Set(origins)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
