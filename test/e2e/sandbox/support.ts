import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSandbox } from 'payments-subgraph-sandbox'
import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { onTestFinished } from 'vitest'

export type Received = { headers: IncomingHttpHeaders; body: Buffer; json: Record<string, unknown> }

export type Receiver = {
  url: string
  received: Received[]
  /** Returns the statuses that were received, in the order of arrival. */
  statuses(): unknown[]
  /** Sets the answer to all further webhooks. */
  answer(status: number, headers?: Record<string, string>): void
}

/** Starts a merchant's webhook endpoint that records what it receives. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let reply: { status: number; headers: Record<string, string> } = { status: 200, headers: {} }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      received.push({ headers: request.headers, body, json: JSON.parse(body.toString()) as Record<string, unknown> })
      response.writeHead(reply.status, reply.headers).end()
    })
  })
  const origin = await listen(server)
  return {
    url: `${origin}/webhooks`,
    received,
    statuses: () => received.map(({ json }) => json['status']),
    answer: (status, headers = {}) => {
      reply = { status, headers }
    },
  }
}

/** Starts a sandbox that ends with the test. */
export async function sandboxFor(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** Calls the interface with the credentials of a default site. */
export async function call(
  sandbox: Sandbox,
  path: string,
  { site = 'aud', body, ...init }: { site?: string; body?: unknown } & Omit<RequestInit, 'body'> = {},
): Promise<{ status: number; text: string; json: Record<string, unknown> }> {
  const response = await fetch(`${sandbox.url}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...init,
    headers: {
      'app-id': `sandbox-${site}`,
      'secret-key': `sandbox-secret-${site}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(init.headers as Record<string, string> | undefined),
    },
  })
  const text = await response.text()
  return { status: response.status, text, json: parse(text) }
}

/** Returns the body of a link creation that the payments API accepts. */
export function linkBody(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    amount: 125.5,
    description: 'Two tickets',
    sender_info: { email: 'ada@example.test', first_name: 'Ada', last_name: 'Payer' },
    ...over,
  }
}

/** Creates a link and returns its uuid. */
export async function createLink(sandbox: Sandbox, over: Record<string, unknown> = {}, site = 'aud'): Promise<string> {
  const { json } = await call(sandbox, '/v3/payin_links', { site, body: linkBody(over) })
  if (typeof json['uuid'] !== 'string') throw new Error(`No link: ${JSON.stringify(json)}`)
  return json['uuid']
}

/** Presses a button of the hosted page and returns the answer as JSON. */
export async function press(
  sandbox: Sandbox,
  uuid: string,
  action: string,
  form: Record<string, string> = {},
): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(`${sandbox.origin}/checkout/${uuid}/${action}`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(form),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

/** Calls a control endpoint. */
export async function control(
  sandbox: Sandbox,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(`${sandbox.origin}/sandbox${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, json: parse(await response.text()) }
}

/** Starts a server on a free loopback port, ends it with the test, and returns its origin. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function parse(text: string): Record<string, unknown> {
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}
