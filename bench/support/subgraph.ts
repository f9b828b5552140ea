import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bearer } from './client-token.ts'
import type { MadeLink } from './payments-api.ts'
import { productionEnv, type ServerProcess, startServer } from './processes.ts'

/** The product in production on SQLite, with the payments API of the benches. */
export type Subgraph = ServerProcess & {
  readonly paymentsApi: ServerProcess
  /** Returns the `data` of the answer. Throws on errors. */
  ask(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>
  /** Creates links by `createPaymentLink`. Returns them in no particular order. */
  createLinks(count: number): Promise<MadeLink[]>
}

export type SubgraphOptions = {
  /** The product's main module. */
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node. */
  readonly execArgv?: readonly string[]
  /** Latency of the payments API in milliseconds; default: 0. */
  readonly latencyMs?: number
  readonly cleanUp: AsyncDisposableStack
}

const SCOPES = 'payments:read payments:write'
/** Number of links that are created at a time. */
const UNDER_WAY = 16

export const CREATE_LINK = `mutation ($input: CreatePaymentLinkInput!) {
  createPaymentLink(input: $input) { __typename ... on CreatePaymentLinkSuccess { link { id } } ... on PaymentsError { code message } } }`

/** Starts the payments API on the core of the load, and the product on the measured core. */
export async function startSubgraph(options: SubgraphOptions): Promise<Subgraph> {
  const { program, env = {}, execArgv = [], latencyMs = 0, cleanUp } = options
  const paymentsApi = await startPaymentsApi(latencyMs, cleanUp)
  const folder = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  cleanUp.defer(() => rmSync(folder, { recursive: true }))
  const settings = {
    ...env,
    UPSTREAM_URL: `${paymentsApi.url}/api`,
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
  }
  const server = await startServer(program, { env: productionEnv({ ADMIN_PORT: '0', ...settings }), execArgv, cleanUp })

  const ask = async (query: string, variables: Readonly<Record<string, unknown>> = {}) => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: bearer(SCOPES) },
      body: JSON.stringify({ query, variables }),
    })
    const text = await response.text()
    const { data, errors } = JSON.parse(text) as { data?: Record<string, unknown>; errors?: unknown }
    if (data === undefined || errors !== undefined) throw new Error(`The product answered ${response.status}: ${text}`)
    return data
  }

  return {
    ...server,
    paymentsApi,
    ask,
    async createLinks(count) {
      const left = Array.from({ length: count }, (_, index) => index).values()
      const create = async () => {
        for (const index of left) {
          const { createPaymentLink: made } = await ask(CREATE_LINK, { input: linkInput(`setup-${index}`) })
          if ((made as { link?: unknown }).link === undefined)
            throw new Error(`No link was made: ${JSON.stringify(made)}`)
        }
      }
      await Promise.all(Array.from({ length: UNDER_WAY }, create))
      return (await (await fetch(`${paymentsApi.url}/links`)).json()) as MadeLink[]
    },
  }
}

/** Returns the input of a link; `key` is its idempotency key. Keys of equal length result in answers of equal length. */
export function linkInput(key: string): Record<string, unknown> {
  return {
    idempotencyKey: key,
    reference: 'order-100000',
    amount: { value: '125.50', currency: 'AUD' },
    description: 'Two tickets',
    customer: { email: 'ada.payer@example.test', firstName: 'Ada', lastName: 'Payer' },
  }
}

function startPaymentsApi(latencyMs: number, cleanUp: AsyncDisposableStack): Promise<ServerProcess> {
  const module = fileURLToPath(new URL('./payments-api.ts', import.meta.url))
  return startServer(module, { env: { LATENCY_MS: String(latencyMs) }, measured: false, cleanUp })
}
