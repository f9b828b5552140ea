/** Why a body could not be read. */
export type BodyFault = 'too-large' | 'timeout' | 'aborted'

export type BodyLimits = {
  readonly bytes: number
  /** Null if something else limits the time. */
  readonly milliseconds: number | null
}

/** The body of a request of node:http. */
export type BodyStream = Pick<NodeJS.ReadableStream, 'on' | 'once' | 'removeAllListeners' | 'resume' | 'read'> & {
  readonly destroyed?: boolean
  /** Bytes received and not read yet. */
  readonly readableLength?: number
}

/** What awaits it goes on once the rest of the packet that contains the headers has been received. */
export const RECEIVED: Promise<void> = Promise.resolve()

/**
 * Reads a request body within a size and a time, and never holds more than the limit. `announced` is its Content-Length, null if there
 * is none. Returns the bytes, or why they could not be read.
 */
export async function readBody(
  stream: BodyStream,
  limits: BodyLimits,
  announced: number | null = null,
): Promise<Buffer | BodyFault> {
  await RECEIVED
  const { destroyed, readableLength = 0 } = stream
  const isWhole = readableLength > 0 && readableLength === announced && announced <= limits.bytes
  const body: unknown = isWhole && destroyed !== true ? stream.read() : null
  if (!Buffer.isBuffer(body)) return readUntilEnd(stream, limits)
  // Until a request was read to its end, the server keeps it in memory with its connection.
  stream.resume()
  return body
}

function readUntilEnd(stream: BodyStream, limits: BodyLimits): Promise<Buffer | BodyFault> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: Buffer | BodyFault) => {
      clearTimeout(timer)
      stream.removeAllListeners('data')
      // The rest is read and discarded, so that the response can be sent on the same connection.
      if (typeof result === 'string') stream.resume()
      resolve(result)
    }
    const timer = limits.milliseconds === null ? undefined : setTimeout(finish, limits.milliseconds, 'timeout')
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.bytes) finish('too-large')
      else chunks.push(chunk)
    })
    stream.once('end', () => finish(Buffer.concat(chunks)))
    stream.once('close', () => finish('aborted'))
    stream.once('error', () => finish('aborted'))
    // The connection was closed before a listener was added.
    if (stream.destroyed === true) finish('aborted')
  })
}
