import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { mutate } from './mutations.ts'
import type { AskOptions, Network } from './network.ts'

/** Returns the address of a file of payments. */
export async function exportUrl(
  network: Pick<Network, 'ask'>,
  input: Readonly<Record<string, unknown>> = {},
  options: AskOptions = {},
): Promise<string> {
  const { __typename, url } = await mutate(network, 'createPaymentsExport', input, options)
  if (__typename !== 'PaymentsExport') throw new Error(`There is no export: ${__typename}.`)
  return String(url)
}

/** A download whose head has arrived, and of whose file nothing more is read yet than what the system buffers. */
export type Download = Pick<IncomingMessage, 'statusCode' | 'headers' | 'destroy'> & {
  /** Reads the file to its end. Rejects if it is cut off. */
  rest(): Promise<string>
}

/** Begins a download, and resolves when its head has arrived. */
export async function beginDownload(url: string): Promise<Download> {
  const request = get(url, { agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const { statusCode, headers } = response
  return { statusCode, headers, destroy: () => response.destroy(), rest: () => text(response) }
}

export type Downloaded = { readonly status: number; readonly headers: Headers; readonly file: string }

/** Downloads a file. */
export async function download(url: string): Promise<Downloaded> {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, file: await response.text() }
}

/** Returns the ids of the payments in an NDJSON file, in their order. */
export function exportedIds(file: string): string[] {
  return file
    .trimEnd()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as { payment?: { id: string } }).payment?.id ?? [])
}

/**
 * Fills an empty database with payments `bulk-1`, `bulk-2` ... through no link, by one statement that both databases understand. Half of
 * them have failed: 2 and 3 of each four. With its padding, each takes 1,500 bytes of a file.
 */
export async function fillPayments(run: (sql: string) => unknown, count: number): Promise<void> {
  const either = (failed: string, other: string) => `(CASE WHEN n % 4 IN (2, 3) THEN '${failed}' ELSE '${other}' END)`
  const details = `'{"currency":"AUD","amount":"0.10","total":null,"paid":null,"refunded":null,"refundable":null,"reference":"' || n ||
    '${'-'.repeat(PADDING)}","methodRaw":"card","card":null,"threeDsUrl":null,"failureCode":null,"failureMessage":null,' ||
    '"instructions":null,"expiresAt":null,"createdAt":"2026-11-01T00:00:00.000Z"}'`
  await run(`INSERT INTO payments (id, stream_id, link_ref, state_json, phase, rank, currency, amount, created_at, updated_at)
    WITH RECURSIVE rows_of(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows_of WHERE n < ${count})
    SELECT 'bulk-' || n, 'payment:bulk-' || n, NULL, '{"id":"bulk-' || n || '","streamId":"payment:bulk-' || n ||
      '","linkRef":null,"version":1,"statusRaw":"' || ${either('failed', 'pending')} || '","status":"' || ${either('failed', 'pending')} ||
      '","phase":"' || ${either('FAILED', 'IN_PROGRESS')} || '","rank":' || ${either('3', '0')} || ',"seen":["pending"],' ||
      '"provisional":false,"details":' || ${details} || ',"updatedAt":"2026-11-01T00:00:00.000Z"}',
      ${either('FAILED', 'IN_PROGRESS')}, (CASE WHEN n % 4 IN (2, 3) THEN 3 ELSE 0 END), 'AUD', '0.10', 1793491200000, 1793491200000 FROM rows_of`)
}

/** Characters that each payment has for nothing. */
const PADDING = 1_200
