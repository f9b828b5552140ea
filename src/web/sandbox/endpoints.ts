import type { About, Attempt, Bank, Call, Fault, Facts, Magic, Query, Snapshot, State, Webhook } from './shapes.ts'

/** The facts that never change. Throws when the sandbox does not answer. */
export async function readFacts(): Promise<Facts> {
  const [about, magic, banks] = await Promise.all([
    read<About>('/about'),
    read<Magic>('/failures'),
    read<{ records: Bank[] }>('/banks'),
  ])
  return { about, magic, banks: banks.records }
}

/** How everything stands, the newest first. Throws when the sandbox does not answer. */
export async function readSnapshot({ search, limit }: Query): Promise<Snapshot> {
  const query = `?${new URLSearchParams({ limit: String(limit), ...(search === '' ? {} : { search }) }).toString()}`
  const [state, webhooks, calls, faults] = await Promise.all([
    read<State>(`/state${query}`),
    read<{ records: Webhook[] }>(`/webhooks${query}`),
    read<{ records: Call[] }>(`/calls${query}`),
    read<{ records: Fault[] }>('/faults'),
  ])
  return { state, webhooks: webhooks.records, calls: calls.records, faults: faults.records }
}

/** What became of a delivery that was asked for. */
export type Deliveries = { readonly armed: boolean; readonly deliveries: readonly Attempt[] }

/** Has something done, and gives what the sandbox answers. Throws an error with the sandbox's own sentence when it refuses. */
export async function change<Answer>(path: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(`/sandbox${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
}

/** Takes back every fault. */
export async function clearFaults(): Promise<void> {
  await answerOf(await fetch('/sandbox/faults', { method: 'DELETE' }))
}

async function read<Answer>(path: string): Promise<Answer> {
  return answerOf(await fetch(`/sandbox${path}`))
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  const answer = (text === '' ? null : JSON.parse(text)) as Answer & { errors?: { message?: string } }
  if (!response.ok) throw new Error(answer?.errors?.message ?? `The sandbox answered ${response.status}.`)
  return answer
}
