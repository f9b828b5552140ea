/** Why a body could not be taken, as the HTTP status that says so. */
export type BodyFault = 'too-large' | 'timeout' | 'aborted'

export type BodyLimits = { readonly bytes: number; readonly milliseconds: number }

/** Reads a request body to its end, within a size and a time, without ever holding more than the limit. */
export async function readBody(
  stream: NodeJS.ReadableStream & { destroyed?: boolean },
  limits: BodyLimits,
): Promise<Buffer | BodyFault> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: Buffer | BodyFault) => {
      clearTimeout(timer)
      stream.removeAllListeners('data')
      // What still comes is read into nothing, so that the answer can be sent on the same connection.
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
    // A sender that went away before tells nothing any more.
    if (stream.destroyed === true) finish('aborted')
  })
}
