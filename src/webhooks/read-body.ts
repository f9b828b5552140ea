/** Why a body could not be read. */
export type BodyFault = 'too-large' | 'timeout' | 'aborted'

export type BodyLimits = { readonly bytes: number; readonly milliseconds: number }

export type BodyStream = Pick<NodeJS.ReadableStream, 'on' | 'once' | 'removeAllListeners' | 'resume' | 'read'> & {
  readonly destroyed?: boolean
  /** Bytes that have come and are not read yet. */
  readonly readableLength?: number
}

/**
 * Reads a request body to its end, within a size and a time, without ever holding more than the limit. `announced` is its
 * Content-Length, null where there is none. Gives the bytes, or why there are none.
 */
export async function readBody(
  stream: BodyStream,
  limits: BodyLimits,
  announced: number | null = null,
): Promise<Buffer | BodyFault> {
  const { destroyed, readableLength = 0 } = stream
  const isWhole = readableLength > 0 && readableLength === announced && announced <= limits.bytes
  return isWhole && destroyed !== true ? readWhole(stream) : readUntilEnd(stream, limits)
}

/** A body that came with its headers, as most do: only its end is missing, which follows without another byte of the peer. */
function readWhole(stream: BodyStream): Promise<Buffer | BodyFault> {
  return new Promise((resolve) => {
    const body: unknown = stream.read()
    stream.once('end', () => resolve(Buffer.isBuffer(body) ? body : 'aborted'))
    stream.once('close', () => resolve('aborted'))
    stream.resume()
  })
}

function readUntilEnd(stream: BodyStream, limits: BodyLimits): Promise<Buffer | BodyFault> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: Buffer | BodyFault) => {
      clearTimeout(timer)
      stream.removeAllListeners('data')
      // The rest is read and dropped, so that the answer can be sent on the same connection.
      if (typeof result === 'string') stream.resume()
      resolve(result)
    }
    const timer = setTimeout(finish, limits.milliseconds, 'timeout')
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.bytes) finish('too-large')
      else chunks.push(chunk)
    })
    stream.once('end', () => finish(Buffer.concat(chunks)))
    stream.once('close', () => finish('aborted'))
    stream.once('error', () => finish('aborted'))
    // The connection was closed before anybody listened.
    if (stream.destroyed === true) finish('aborted')
  })
}
