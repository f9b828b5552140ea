import type { FastifyReply } from 'fastify'
import type { Answer } from '../../graphql/engine/request-outcome.ts'
import { compress, type ContentCoding, responseCoding, entityTag, hasAlready, responseType } from './negotiation.ts'

/** Sends the answers to queries and mutations. */
export type AnswerSender = {
  /**
   * Sends an answer. One that is the same for every caller may be kept by caches, a client that has it gets 304, and a larger one is
   * compressed if the client takes that.
   */
  send(reply: FastifyReply, answer: Answer): void
  /** Sends an answer from the cache of recent ones, whose bytes are made once. */
  sendRecalled(reply: FastifyReply, answer: Answer): void
}

/** What was made of an answer, for requests that get it again. */
type Content = {
  body: string | Buffer
  tag: string | null
  readonly compressed: Map<ContentCoding, Buffer | Promise<Buffer>>
}

/** A smaller body fits one packet with its header, so that compression would save nothing. */
const MIN_COMPRESSED = 1_024

/**
 * Creates the sender. Answers to one caller are never compressed: they hold secrets beside text that others choose, such as a status
 * token beside a payer's name, and the length of the two together would tell how alike they are (https://breachattack.com).
 */
export function createAnswerSender({ compresses }: { readonly compresses: boolean }): AnswerSender {
  const contents = new WeakMap<Answer, Content>()
  const contentOf = (answer: Answer): Content => {
    const content = contents.get(answer) ?? { body: answer.json, tag: null, compressed: new Map() }
    contents.set(answer, content)
    return content
  }

  const sendPublic = (reply: FastifyReply, answer: Answer, content: Content): void => {
    const { headers, method } = reply.request
    const coding =
      compresses && content.body.length >= MIN_COMPRESSED ? responseCoding(headers['accept-encoding']) : null
    const vary = ['Accept', compresses ? 'Accept-Encoding' : [], reply.getHeader('vary') ?? []].flat()
    reply.header('cache-control', `public, max-age=${answer.maxAgeS}`).header('vary', vary.join(', '))
    if (method === 'GET') {
      content.tag ??= entityTag(answer.json)
      const tag = tagIn(coding, content.tag)
      reply.header('etag', tag)
      if (hasAlready(headers['if-none-match'], tag))
        return void reply.code(304).removeHeader('content-type').removeHeader('content-length').send()
    }
    if (coding === null) return void reply.send(content.body)
    const made = content.compressed.get(coding) ?? makeCompressed(content, coding)
    if (Buffer.isBuffer(made)) return void reply.header('content-encoding', coding).send(made)
    made.then(
      (bytes) => reply.header('content-encoding', coding).send(bytes),
      () => reply.removeHeader('etag').send(content.body),
    )
    return undefined
  }

  return {
    send(reply, answer) {
      head(reply, answer)
      if (answer.status === 200 && answer.maxAgeS !== null) sendPublic(reply, answer, contentOf(answer))
      else reply.send(answer.json)
    },
    sendRecalled(reply, answer) {
      const content = contentOf(answer)
      if (typeof content.body === 'string') content.body = Buffer.from(content.body)
      sendPublic(head(reply, answer), answer, content)
    },
  }
}

async function makeCompressed({ body, compressed }: Content, coding: ContentCoding): Promise<Buffer> {
  const making = compress(Buffer.from(body), coding)
  compressed.set(coding, making)
  const bytes = await making
  compressed.set(coding, bytes)
  return bytes
}

function head(reply: FastifyReply, { status }: Answer): FastifyReply {
  return reply.code(status).type(responseType(reply.request.headers.accept) ?? 'application/json; charset=utf-8')
}

/** The tag of a representation: each coding has its own, since its bytes are others (RFC 9110, section 8.8.3.3). */
function tagIn(coding: ContentCoding | null, tag: string): string {
  return coding === null ? tag : `${tag.slice(0, -1)}-${coding}"`
}
