import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'

/** Browsers and libraries send few different values. */
const MAX_TEXTS = 256
const MAX_CHARACTERS = 256

/** Returns the function, with its results for recent values of a header kept. */
function negotiated<Chosen>(choose: (header: string) => Chosen): (header: string) => Chosen {
  const recent = new LRUCache<string, { readonly chosen: Chosen }>({ max: MAX_TEXTS })
  return (header) => {
    const known = recent.get(header)
    if (known !== undefined) return known.chosen
    const chosen = choose(header)
    if (header.length <= MAX_CHARACTERS) recent.set(header, { chosen })
    return chosen
  }
}

/** The media types of a response to GraphQL over HTTP. */
const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'

/**
 * Returns the `content-type` of the response to a request with this `accept` header: the preferred one, JSON if both are equal. Null
 * if it accepts neither. https://graphql.github.io/graphql-over-http/draft/#sec-Accept
 */
export function responseType(accept: string | undefined): string | null {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return `${JSON_TYPE}; charset=utf-8`
  return preferredType(accept)
}

const preferredType = negotiated((accept) => {
  const [preferred] = new Negotiator({ headers: { accept } }).mediaTypes([JSON_TYPE, GRAPHQL_TYPE])
  return preferred === undefined ? null : `${preferred}; charset=utf-8`
})

/** A content coding in which a body is sent (RFC 9110, section 8.4.1). */
export type ContentCoding = 'br' | 'gzip'

const CODINGS: readonly string[] = ['br', 'gzip', 'identity']
/** The best of zlib's for text, and the level of Brotli that takes as long. */
const GZIP_LEVEL = 6
const BROTLI_LEVEL = 5

/**
 * Returns the content coding that a client with this `accept-encoding` header prefers, Brotli if it has no preference; null for none
 * (RFC 9110, section 12.5.3).
 */
export function responseCoding(acceptEncoding: string | undefined): ContentCoding | null {
  if (acceptEncoding === undefined || acceptEncoding === '') return null
  return preferredCoding(acceptEncoding)
}

/** The library's types lack the option that orders codings which the client prefers equally. */
type EncodingNegotiator = {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[]
}

const preferredCoding = negotiated((acceptEncoding): ContentCoding | null => {
  const negotiator: EncodingNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const [preferred] = negotiator.encodings(CODINGS, { preferred: CODINGS })
  return preferred === 'br' || preferred === 'gzip' ? preferred : null
})

const compressors: Readonly<Record<ContentCoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => promisify(gzip)(body, { level: GZIP_LEVEL }),
}

/** Returns the body in this coding. The event loop is free meanwhile. */
export function compress(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  return compressors[coding](body)
}

/** Returns the strong entity tag of a body (RFC 9110, section 8.8.3). */
export function entityTag(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`
}

/** Returns whether a client that sends this If-None-Match already has the body with this tag (RFC 9110, section 13.1.2). */
export function hasAlready(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((entry) => entry.trim().replace(/^W\//, ''))
  return tags.includes(tag) || (tags.length === 1 && tags[0] === '*')
}
