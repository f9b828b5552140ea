import { Agent, type Dispatcher } from 'undici'
import { createSteadyCheck } from '../graphql/warm-up.ts'
import { GRAPHQL_PATH } from './server/graphql-exchange.ts'

/** Sends requests to a server that listens at this URL, until it gets no faster or the time is over. A failed request is not repeated. */
export async function warmUpServer(url: string, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds
  const isSteady = createSteadyCheck()
  // A connection for each request, as a burst of new clients has. Not node:http: only this would load all of it.
  const agent = new Agent({ pipelining: 0, connect: { rejectUnauthorized: true } })
  for (let begun = performance.now(); begun < until; begun = performance.now())
    if (!(await post(agent, url, until)) || isSteady(performance.now() - begun)) break
  await agent.destroy()
}

/** Returns false if there was no response in time. */
async function post(agent: Dispatcher, url: string, until: number): Promise<boolean> {
  try {
    const { body } = await agent.request({
      origin: url,
      path: GRAPHQL_PATH,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ paymentCurrencies { code } }"}',
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(until - performance.now()))),
    })
    await body.dump()
    return true
  } catch {
    return false
  }
}
