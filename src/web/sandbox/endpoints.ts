import type { About, Attempt, Bank, Call, Fault, Facts, Magic, Query, Snapshot, State, Webhook } from './shapes.ts'

/** Reads the facts that never change. Throws when the sandbox does not respond. */
export async function readFacts(): Promise<Facts> {
  const [about, magic, banks] = await Promise.all([
    read<About>('/about'),
    read<Magic>('/failures'),
    read<{ records: Bank[] }>('/banks'),
  ])
  return { about, magic, banks: banks.records }
}

/** Reads the current state, newest entries first. Throws when the sandbox does not respond. */
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

/** The responses to the deliveries of a webhook fault. */
export type Deliveries = { readonly armed: boolean; readonly deliveries: readonly Attempt[] }

/** Calls a control endpoint and returns its response. Throws an error with the sandbox's message when it refuses. */
export async function change<Answer>(path: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(`/sandbox${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
}

/** Removes every fault. */
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
