import { startPeer } from '../peers.ts'
import type { Bench } from '../run-bench.ts'
import type { Subgraph } from '../subgraph.ts'
import { type Contender, writeAnswer } from './compare.ts'
import { exchange } from './message.ts'
import { type Requests, sampleOf } from './wrk.ts'

/** Returns the product as the first server of a case. */
export function productOf(server: Subgraph): Contender {
  return { name: 'product', server }
}

/**
 * Starts Fastify, which sends the product's answer to the first request, headers included; `env` can name other bodies
 * (`peers/fastify.mjs`).
 */
export async function startFastify(
  bench: Bench,
  product: Subgraph,
  requests: Requests,
  env: Readonly<Record<string, string>> = {},
): Promise<Contender> {
  const answer = `${bench.folder}/answer.json`
  writeAnswer(answer, await exchange(product.url, sampleOf(requests, 0)))
  const server = await startPeer('fastify', { env: { ANSWER: answer, ...env }, cleanUp: bench.cleanUp })
  return { name: 'fastify', server }
}
