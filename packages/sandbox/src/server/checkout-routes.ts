import { checkoutPage, threeDsPage, unknownLinkPage } from '../checkout/checkout-page.ts'
import { complete3ds, confirmPaid, decline, dismissPrompt, letExpire, pay, type Refusal } from '../checkout/customer.ts'
import { CARD_LOGO, PAGE_SCRIPT } from '../checkout/page-script.ts'
import { isJson, json, notFound } from '../http/answers.ts'
import type { Answer, Call, Routes, Scope } from '../http/server.ts'
import { awaits3ds, statusOf, type Link, pageState } from '../state/link.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'

/** Reads a field of a customer action, from a form or a JSON object. */
type Form = (name: string) => string | undefined

type Action = (link: Link, form: Form) => Refusal | undefined

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Returns the scope of the hosted checkout below `/checkout`. */
export function checkoutScope(store: SandboxStore, frame: string): Scope {
  return async (call, route) => {
    const answer = await (route === null ? page(unknownLinkPage(frame), { status: 404 }) : route())
    if (call.request.method === 'POST') store.changes.note()
    return answer && { ...answer, headers: { ...HEADERS, ...answer.headers } }
  }
}

/** Adds the hosted checkout: the page in its frame, its script, and the actions of the customer. */
export function addCheckoutRoutes({ get, post }: Routes, store: SandboxStore, frame: string): void {
  const onLink = (set: Routes['get'], path: string, handle: (link: Link, call: Call) => Answer): void =>
    set(`/checkout/:uuid${path}`, (call) => {
      const link = store.links.get(call.params['uuid'] ?? '')
      if (link !== undefined) return handle(link, call)
      return wantsJson(call)
        ? notFound('There is no such payment link.')
        : page(unknownLinkPage(frame), { status: 404 })
    })
  get('/checkout/page.js', () => ({ status: 200, headers: { 'content-type': 'text/javascript' }, body: PAGE_SCRIPT }))
  get('/checkout/card.svg', () => ({ status: 200, headers: { 'content-type': 'image/svg+xml' }, body: CARD_LOGO }))
  onLink(get, '', (link, call) =>
    wantsJson(call) ? json(200, stateOf(link)) : page(checkoutPage(frame, link, store.clock.now()), { link }),
  )
  onLink(get, '/3ds', (link) => (awaits3ds(link) ? page(threeDsPage(frame, link)) : seeOther(`/checkout/${link.uuid}`)))
  for (const [name, action] of Object.entries(actionsOf(store)))
    onLink(post, `/${name}`, (link, call) => act(call, link, action))
  onLink(post, '/done', (link, call) => (wantsJson(call) ? json(200, stateOf(link)) : seeOther(afterDone(link))))
}

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
function act(call: Call, link: Link, action: Action): Answer {
  const refusal = action(link, readForm(call))
  if (!wantsJson(call)) return seeOther(`/checkout/${link.uuid}${awaits3ds(link) ? '/3ds' : ''}`)
  if (refusal === undefined) return json(200, stateOf(link))
  return json(refusal.httpStatus, { ...stateOf(link), message: refusal.message })
}

function seeOther(location: string): Answer {
  return { status: 303, headers: { location } }
}

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

function readForm(call: Call): Form {
  const text = call.body.toString()
  if (!isJson(call)) return (name) => new URLSearchParams(text).get(name) ?? undefined
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

function wantsJson({ request }: Call): boolean {
  return (request.headers.accept ?? '').includes('application/json')
}

function page(body: string, { status = 200, link }: { status?: number; link?: Link } = {}): Answer {
  const headers = { 'content-security-policy': securityPolicy(link), 'content-type': 'text/html; charset=utf-8' }
  return { status, headers, body }
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
