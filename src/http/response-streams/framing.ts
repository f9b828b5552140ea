import type { StreamAnswer } from '../../graphql/engine/request-outcome.ts'

/** How the answers of a stream are written into one response. */
export type Framing = {
  readonly contentType: string
  /** What stands before the first answer. */
  readonly opening: string
  /** What is sent while there is no answer. */
  readonly keepAlive: string
  readonly answer: (answer: StreamAnswer) => string
  /** The end of a stream that is complete. */
  readonly completion: string
  /** The end of a stream that is interrupted, with its errors as a list in JSON. */
  readonly interruption: (errors: string) => string
  /** Milliseconds between the last bytes and the end of the response. */
  readonly pauseMs: number
}
