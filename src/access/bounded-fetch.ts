import type { FetchImplementation } from 'jose'
import { Agent, fetch } from 'undici'

/** The issuer's response is larger than any plausible key set. */
class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError'
  readonly code = 'ANSWER_TOO_LARGE'
}

/**
 * Creates a `fetch` that reads a body of at most `maxBytes`, and rejects with `AnswerTooLargeError` for a longer one. The rest of a body is
 * cancelled; the body of any status except 200 is not read. The caller's signal also aborts the reading of the body. Certificates are
 * verified whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 */
export function createBoundedFetch(maxBytes: number): FetchImplementation {
  // Requests are minutes apart: the issuer would have closed a kept connection by then.
  const dispatcher = new Agent({ pipelining: 0, connect: { rejectUnauthorized: true } })
  return async (url, { headers, ...init }) => {
    const response = await fetch(url, { ...init, headers: Object.fromEntries(headers), dispatcher })
    if (response.status === 200 && response.body !== null)
      return new Response(await readAtMost(response.body, maxBytes))
    await response.body?.cancel()
    return new Response(null, { status: response.status })
  }
}

async function readAtMost(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.byteLength
    if (size > maxBytes) throw new AnswerTooLargeError()
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
