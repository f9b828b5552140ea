import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import { negotiated } from './negotiated.ts'

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
