import { setTimeout as delay } from 'node:timers/promises'
import { badRequest, json, notAuthorised, notFound, readJsonObject } from '../http/answers.ts'
import type { Answer, Call, Routes, Scope } from '../http/server.ts'
import { type FaultAnswer, siteOf, type SandboxSite, type ApiCall, type SandboxStore } from '../state/sandbox-store.ts'
import type { JsonObject } from '../values/request-fields.ts'

type SiteHandler<Given> = (given: Given, site: SandboxSite) => Answer | Promise<Answer>
type SetApiRoute<Given> = (path: string, handler: SiteHandler<Given>, mostBytes?: number) => void

/** Sets routes below `/api`, for calls with the credentials of a site; of `postJson`, what has no JSON object is answered with 400. */
export type ApiRoutes = {
  readonly get: SetApiRoute<Call>
  readonly post: SetApiRoute<Call>
  readonly postJson: SetApiRoute<JsonObject>
}

/** Sets the routes of a group of endpoints. */
export type ApiGroup = (api: ApiRoutes, store: SandboxStore) => void

export function apiRoutes({ get, post }: Routes, store: SandboxStore): ApiRoutes {
  const within =
    (set: Routes['get']): SetApiRoute<Call> =>
    (path, handler, mostBytes) =>
      set(
        `/api${path}`,
        (call) => {
          const site = callersSite(store, call)
          return site === undefined ? notAuthorised() : handler(call, site)
        },
        mostBytes,
      )
  return {
    get: within(get),
    post: within(post),
    postJson: (path, handler) =>
      within(post)(path, (call, site) => {
        const body = readJsonObject(call)
        return body === undefined ? badRequest() : handler(body, site)
      }),
  }
}

/**
 * Returns the scope of the interface below `/api`. Every call is recorded, may trigger a fault, and must carry the header pair of a
 * site (docs/payments-api.md, section 5). `closing` aborts the calls that a fault keeps open.
 */
export function apiScope(store: SandboxStore, closing: AbortSignal): Scope {
  return async (call, route) => {
    const { method = '', socket } = call.request
    const record = remember(store, call)
    const fault = store.faults.take(method, call.path)
    record.fault = fault !== undefined
    store.changes.note()
    if (fault === 'hang') return undefined
    if (fault === 'reset') return void socket.resetAndDestroy()
    const answer = typeof fault === 'object' ? await faultAnswer(fault, closing) : undefined
    const given = answer ?? (await (route?.() ?? unknown(store, call)))
    if (fault === 'drop-after') return void socket.destroy()
    record.status = given?.status ?? null
    store.changes.note()
    // An answer tells the clock by which its instants are to be read; a fault may carry another one.
    return given && { ...given, headers: { date: store.clock.now().toUTCString(), ...given.headers } }
  }
}

function unknown(store: SandboxStore, call: Call): Answer {
  return callersSite(store, call) === undefined ? notAuthorised() : notFound('There is no such endpoint.')
}

function callersSite({ sites }: SandboxStore, call: Call): SandboxSite | undefined {
  return siteOf(sites, header(call, 'app-id'), header(call, 'secret-key'))
}

function remember(store: SandboxStore, call: Call): ApiCall {
  const record: ApiCall = {
    method: call.request.method ?? '',
    path: call.path,
    at: store.clock.now().toISOString(),
    appId: header(call, 'app-id') ?? null,
    status: null,
    fault: false,
  }
  store.calls.push(record)
  return record
}

/** Returns the answer of a fault; undefined, after its time, for one that only delays. */
async function faultAnswer(fault: Exclude<FaultAnswer, string>, closing: AbortSignal): Promise<Answer | undefined> {
  if ('delayMs' in fault) return delay(fault.delayMs, undefined, { signal: closing }).catch(() => undefined)
  const { status, body, headers = {} } = fault
  if (body === undefined) return { status, headers }
  const answer = typeof body === 'string' ? { body, headers: { 'content-type': 'text/html' } } : json(status, body)
  return { status, body: answer.body ?? '', headers: { ...answer.headers, ...headers } }
}

/** Returns the value of a request header. */
export function header({ request }: Call, name: string): string | undefined {
  return request.headers[name]?.toString()
}
